import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import type { ReleaseManifest, SignedRelease } from '@haltless/protocol'
import { signRelease } from '../../src/updates/signature.ts'

export { endorseKey } from '../../src/updates/signature.ts'

export const PLATFORM = 'linux-amd64'

export const newKey = () => generateKeyPairSync('ed25519')
export const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()

/** Writes a version's folder, as far as the updater looks at it. @param behaviour what the simulated agent does */
export function writeVersion(folder: string, version: string, updateKey: KeyObject | null, behaviour = 'works'): void {
  for (const part of ['bin', 'app/lib/migrations']) mkdirSync(path.join(folder, part), { recursive: true })
  writeFileSync(path.join(folder, 'bin/node'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(path.join(folder, 'app/lib/agent.mjs'), '')
  writeFileSync(path.join(folder, 'app/lib/version'), version)
  writeFileSync(path.join(folder, 'app/lib/migrations/1.sql'), 'SELECT 1')
  writeFileSync(path.join(folder, 'behaviour'), behaviour)
  writeFileSync(path.join(folder, 'platform'), `${PLATFORM}\n`)
  if (updateKey) writeFileSync(path.join(folder, 'update-key.pem'), pemOf(updateKey))
}

/** An archive of a folder, as `npm run package:agent` writes it. */
export function archiveOf(dir: string, name: string): Buffer {
  const args = [
    '-c',
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--format=gnu',
    `--transform=flags=r;s,^\\.,${name},`,
    '-C',
    dir,
    '.',
  ]
  return zstdCompressSync(execFileSync('tar', args, { maxBuffer: 1 << 28 }))
}

/** A signed release of one archive. */
export function releaseOf(
  archive: Buffer,
  version: string,
  privateKey: KeyObject,
  over: Partial<ReleaseManifest> = {},
  keys: SignedRelease['keys'] = [],
): SignedRelease {
  const manifest: ReleaseManifest = {
    format: 1,
    version,
    sequence: 10,
    min_source_version: '1.0.0',
    issued_at: '2026-11-01T00:00:00Z',
    expires_at: '2099-01-01T00:00:00Z',
    files: [
      {
        platform: PLATFORM,
        name: `haltless-agent-${version}-${PLATFORM}.tar.zst`,
        size: archive.length,
        sha256: createHash('sha256').update(archive).digest('hex'),
      },
    ],
    ...over,
  }
  return signRelease(manifest, privateKey, keys)
}

/** An archive with the folder of a version. */
export function archiveOfVersion(workDir: string, version: string, updateKey: KeyObject, behaviour = 'works'): Buffer {
  const dir = mkdtempSync(path.join(workDir, 'version-'))
  writeVersion(dir, version, updateKey, behaviour)
  return archiveOf(dir, `haltless-agent-${version}-${PLATFORM}`)
}

export const behaviourOf = (folder: string): string => readFileSync(path.join(folder, 'behaviour'), 'utf8')
