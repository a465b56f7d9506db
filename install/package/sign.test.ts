import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { readRelease } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { archiveOf, newKey, PLATFORM, writeVersion } from '../../edge-agent/test/support/release.ts'
import { keygen, sign } from './sign.ts'

let dir: string
let key: string
beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-sign-test-'))
  key = path.join(dir, 'release.key')
  keygen(['--out', key])
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true, force: true })
})

const signed = () => sign(['--key', key, '--dir', dir], { version: '1.1.0', epoch: 7 })
/** Puts an archive there as `npm run package:agent` does. */
const build = (spoil: (folder: string) => void = () => {}, updateKey: ReturnType<typeof newKey> | null = newKey()) => {
  const folder = path.join(dir, 'folder')
  mkdirSync(folder)
  writeVersion(folder, '1.1.0', updateKey?.publicKey ?? null)
  spoil(folder)
  const archive = archiveOf(folder, `haltless-agent-1.1.0-${PLATFORM}`)
  writeFileSync(path.join(dir, `haltless-agent-1.1.0-${PLATFORM}.tar.zst`), archive)
}
const releaseFile = () => JSON.parse(readFileSync(path.join(dir, 'haltless-agent-1.1.0.release.json'), 'utf8'))

describe('npm run package:agent -- sign', () => {
  it('signs the archives of a version', async () => {
    build()
    await signed()
    expect(readRelease(releaseFile()).manifest).toMatchObject({ version: '1.1.0', sequence: 7 })
  })

  it.each([
    ['no archive', () => {}, /There is no archive of version 1.1.0/],
    ['one without a key for the release after it', () => build(undefined, null), /has no key for the release after it/],
    [
      'one of another platform than its name says',
      () => build((folder) => writeFileSync(path.join(folder, 'platform'), 'linux-arm64\n')),
      /holds no program for linux-amd64/,
    ],
    ['one without an agent', () => build((folder) => rmSync(path.join(folder, 'app/lib/agent.mjs'))), /holds no agent/],
    [
      'one that is damaged',
      () => writeFileSync(path.join(dir, `haltless-agent-1.1.0-${PLATFORM}.tar.zst`), 'no archive'),
      /cannot be installed: the archive is damaged/,
    ],
  ])('refuses %s', async (_, make, message) => {
    make()
    await expect(signed()).rejects.toThrow(message)
    expect(releaseFile).toThrow('ENOENT')
  })
})
