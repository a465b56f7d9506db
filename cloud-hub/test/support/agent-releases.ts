import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { signRelease } from '@haltless/edge-agent/updates'
import type { ReleaseManifest, UpdateReport } from '@haltless/protocol'
import type { Sql } from '../../src/db/pools.ts'
import { addRelease } from '../../src/features/agents/updates/index.ts'
import { findRelease } from '../../src/features/agents/updates/releases.ts'

export const releaseKey = generateKeyPairSync('ed25519')
export const PLATFORM = 'linux-amd64'

/** Writes a signed release with an archive of random bytes, as `npm run package:agent -- sign` does. */
export function writeRelease(
  version: string,
  over: Partial<ReleaseManifest> = {},
  bytes = 600_000,
): { file: string; dir: string; archive: Buffer; name: string } {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-release-'))
  const archive = randomBytes(bytes)
  const name = `haltless-agent-${version}-${PLATFORM}.tar.zst`
  const manifest: ReleaseManifest = {
    format: 1,
    version,
    sequence: 1,
    min_source_version: '1.0.0',
    issued_at: '2026-01-01T00:00:00Z',
    expires_at: '2099-01-01T00:00:00Z',
    files: [{ platform: PLATFORM, name, size: archive.length, sha256: createHash('sha256').update(archive).digest('hex') }],
    ...over,
  }
  const file = path.join(dir, `haltless-agent-${version}.release.json`)
  writeFileSync(path.join(dir, name), archive)
  writeFileSync(file, JSON.stringify(signRelease(manifest, releaseKey.privateKey, [])))
  return { file, dir, archive, name }
}

/** What an agent that takes updates tells. */
export const takesUpdates: UpdateReport = { accepts: true, platform: PLATFORM }

/** Adds a release where the hub does not have it yet; several tests may do so at once. */
export async function ensureRelease(sql: Sql, version: string, sequence: number): Promise<void> {
  const made = writeRelease(version, { sequence, min_source_version: '0.1.0' }, 1_000)
  try {
    if (!(await findRelease(sql, version))) await addRelease(sql, made.file, new Date('2026-01-31T12:00:00Z'))
  } catch (error) {
    if (!(await findRelease(sql, version))) throw error
  } finally {
    rmSync(made.dir, { recursive: true })
  }
}
