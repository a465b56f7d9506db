import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Installation } from '../../src/updates/installation.ts'
import { writeRequest } from '../../src/updates/request.ts'
import { endorseKey } from '../../src/updates/signature.ts'
import { archiveOf, archiveOfVersion, newKey, releaseOf, writeVersion } from '../support/release.ts'
import { simulatedUpdater } from './simulated-updater.ts'

const key = newKey()
const ID = '5d1f0b9a-7f43-4b93-9d6b-3c8a52f6f001'
const STEPS = ['copied', 'unpacked', 'decided', 'switched', 'restarted', 'confirmed', 'finished']
const STEPS_BACK = [...STEPS.slice(0, 5), 'rolling back', 'switched back', 'finished']

let dir: string
let root: string
let dataDir: string
let installation: Installation

beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-updater-'))
  ;[root, dataDir] = [path.join(dir, 'root'), path.join(dir, 'data')]
  mkdirSync(path.join(dataDir, 'incoming'), { recursive: true })
  installation = new Installation(root)
  writeVersion(installation.folderOf('1.0.0'), '1.0.0', key.publicKey)
  for (const link of ['current', 'confirmed'] as const) installation.link(link, '1.0.0')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const incoming = (name: string) => path.join(dataDir, 'incoming', name)
const run = () => simulatedUpdater(root, dataDir).run()
/** @returns the signal that ended the updater */
const killAfter = (step: string) =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, 'updater-process.ts'), root, dataDir, step]).signal
/** The agent of the confirmed version runs and delivers. */
const deliver = () => {
  const now = Date.now()
  const status = {
    ...{ pid: 1, version: '1.0.0', startedAt: now - 9_000, writtenAt: now, readingClock: { now } },
    ...{
      uplink: { state: 'sending', detail: '', lastReceiptAt: now, liveStoredTotal: 9 },
      hub: { lastAnswerAt: now, detail: '' },
    },
    collectors: {
      press: { state: 'running', lastReadAt: now, detail: '' },
      oven: { state: 'running', lastReadAt: now - 7_200_000, detail: 'was down before' },
    },
  }
  writeFileSync(path.join(dataDir, 'status.json'), JSON.stringify(status))
}
/** Hands over a release, as the agent does. */
const handOver = (archive: Buffer, release: object, id = ID) => {
  writeFileSync(incoming('archive.tar.zst'), archive)
  writeRequest(path.join(dataDir, 'incoming'), { id, release: release as never })
}
const handOverVersion = (version: string, behaviour = 'works') => {
  const archive = archiveOfVersion(dir, version, key.publicKey, behaviour)
  handOver(archive, releaseOf(archive, version, key.privateKey))
}
const links = () => [installation.linked('current'), installation.linked('confirmed')]
const progress = () => installation.state().progress
const versions = () => readdirSync(path.join(root, 'versions')).sort()
const isAtRest = () => !existsSync(installation.updateFile('pending'))

describe('an update', () => {
  it('is installed, tried, and confirmed when what worked works again', async () => {
    deliver()
    handOverVersion('1.1.0')
    await run()
    expect(progress()).toMatchObject({ phase: 'confirmed', id: ID, version: '1.1.0', from: '1.0.0', reason: null })
    expect(links()).toEqual(['1.1.0', '1.1.0'])
    expect(installation.state().confirmed_sequence).toBe(10)
    expect(isAtRest()).toBe(true)
    expect(readFileSync(path.join(root, 'steps'), 'utf8').trim().split('\n')).toEqual(STEPS)
    // for people who want to go back
    expect(versions()).toEqual(['1.0.0', '1.1.0'])
  })

  it.each([
    ['a collector delivers nothing any more', 'silent', /collectors deliver nothing any more: press \(connection refused\)/],
    ['the hub confirms nothing new', 'unsent', /the hub confirms no new readings/],
    ['it ends again and again', 'crashes', /the new version ended 5 times/],
  ])('is rolled back by itself when %s', async (_, behaviour, reason) => {
    deliver()
    handOverVersion('1.1.0', behaviour)
    await run()
    expect(progress()).toMatchObject({ phase: 'rolled_back', version: '1.1.0', reason: expect.stringMatching(reason) })
    expect(links()).toEqual(['1.0.0', '1.0.0'])
    expect(versions()).toEqual(['1.0.0'])
    expect(installation.state().confirmed_sequence).toBe(0)
    expect(isAtRest()).toBe(true)
  })

  it('is not rolled back for a device and a hub that were down before', async () => {
    deliver()
    const status = JSON.parse(readFileSync(path.join(dataDir, 'status.json'), 'utf8'))
    status.collectors.press.lastReadAt = Date.now() - 3_700_000
    status.uplink.state = 'connecting'
    writeFileSync(path.join(dataDir, 'status.json'), JSON.stringify(status))
    handOverVersion('1.1.0', 'silent')
    await run()
    expect(progress()).toMatchObject({ phase: 'confirmed', baseline: { collectors: [], hub: false } })
  })

  it('waits until an agent that has just started shows what works', async () => {
    deliver()
    const { collectors, ...status } = JSON.parse(readFileSync(path.join(dataDir, 'status.json'), 'utf8'))
    const write = (more: object) => writeFileSync(path.join(dataDir, 'status.json'), JSON.stringify({ ...status, ...more }))
    write({ startedAt: status.writtenAt, collectors: {} })
    handOverVersion('1.1.0', 'silent')
    const updated = run()
    const isUnpacked = () =>
      existsSync(path.join(root, 'steps')) && readFileSync(path.join(root, 'steps'), 'utf8').includes('unpacked')
    await vi.waitUntil(isUnpacked, { timeout: 60_000 })
    write({ startedAt: status.writtenAt - 60, collectors })
    await updated
    expect(progress()).toMatchObject({ phase: 'rolled_back', reason: expect.stringContaining('press') })
  })

  it('that was tried may be tried again by another rollout, and the same request is not taken twice', async () => {
    deliver()
    handOverVersion('1.1.0', 'silent')
    await run()
    const before = progress()
    await run()
    expect(progress()).toEqual(before)
    const archive = archiveOfVersion(dir, '1.1.0', key.publicKey)
    handOver(archive, releaseOf(archive, '1.1.0', key.privateKey), 'another')
    await run()
    expect(progress()).toMatchObject({ phase: 'confirmed', id: 'another' })
  })

  it('brings the next key, with which alone the release after it is signed', async () => {
    deliver()
    const next = newKey()
    const archive = archiveOfVersion(dir, '1.1.0', next.publicKey)
    handOver(archive, releaseOf(archive, '1.1.0', key.privateKey))
    await run()
    const third = archiveOfVersion(dir, '1.2.0', next.publicKey)
    handOver(third, releaseOf(third, '1.2.0', key.privateKey, { sequence: 11 }), 'with the old key')
    await run()
    expect(progress()).toMatchObject({ phase: 'refused', reason: expect.stringContaining('not signed with the key') })
    handOver(third, releaseOf(third, '1.2.0', next.privateKey, { sequence: 11 }), 'with the new key')
    await run()
    expect(links()).toEqual(['1.2.0', '1.2.0'])
    expect(versions()).toEqual(['1.1.0', '1.2.0'])
  })

  it('reaches an agent that missed the release which brought the next key', async () => {
    deliver()
    const next = newKey()
    const archive = archiveOfVersion(dir, '1.2.0', next.publicKey)
    const keys = [endorseKey(next.publicKey, key.privateKey)]
    handOver(archive, releaseOf(archive, '1.2.0', next.privateKey, {}, keys))
    await run()
    expect(links()).toEqual(['1.2.0', '1.2.0'])
  })

  it('is given up when a package was installed in the meantime', async () => {
    deliver()
    handOverVersion('1.1.0')
    killAfter('switched')
    writeVersion(installation.folderOf('1.0.5'), '1.0.5', key.publicKey)
    for (const link of ['current', 'confirmed'] as const) installation.link(link, '1.0.5')
    rmSync(installation.folderOf('1.0.0'), { recursive: true })
    await run()
    expect(progress()).toMatchObject({ phase: 'rolled_back', reason: 'version 1.0.5 was installed from a package meanwhile' })
    expect(links()).toEqual(['1.0.5', '1.0.5'])
  })

  it('that is being taken back leaves alone what a package installed in the meantime', async () => {
    deliver()
    handOverVersion('1.1.0', 'silent')
    killAfter('rolling back')
    // the package keeps the files of the version before
    writeVersion(installation.folderOf('1.0.5'), '1.0.5', key.publicKey)
    for (const link of ['current', 'confirmed'] as const) installation.link(link, '1.0.5')
    await run()
    expect(progress()).toMatchObject({ phase: 'rolled_back', reason: 'version 1.0.5 was installed from a package meanwhile' })
    expect(links()).toEqual(['1.0.5', '1.0.5'])
    expect(isAtRest()).toBe(true)
  })

  it('removes versions before the last two, and not a newer one that dpkg has unpacked', async () => {
    deliver()
    for (const version of ['0.9.0', '1.5.0']) writeVersion(installation.folderOf(version), version, key.publicKey)
    handOverVersion('1.1.0')
    await run()
    expect(versions()).toEqual(['1.0.0', '1.1.0', '1.5.0'])
  })

  it.each([
    ['a link', (file: string) => symlinkSync('/dev/zero', file)],
    ['a pipe', (file: string) => spawnSync('mkfifo', [file])],
    ['no JSON', (file: string) => writeFileSync(file, '{"pid":')],
    ['JSON of another shape', (file: string) => writeFileSync(file, '{"collectors":[1]}')],
    ['larger than a status can be', (file: string) => writeFileSync(file, Buffer.alloc(33 * 2 ** 20, ' '))],
  ])('asks of the new version only to run where the status of the old one is %s', async (_, make) => {
    make(path.join(dataDir, 'status.json'))
    handOverVersion('1.1.0')
    // the simulated agent replaces the file, as the real one does
    await run()
    expect(progress()).toMatchObject({ phase: 'confirmed', baseline: { collectors: [], hub: false } })
  })

  it('goes back to another version where a package has removed the one before', async () => {
    deliver()
    handOverVersion('1.1.0', 'silent')
    killAfter('restarted')
    writeVersion(installation.folderOf('0.9.0'), '0.9.0', key.publicKey)
    rmSync(installation.folderOf('1.0.0'), { recursive: true })
    await run()
    expect(links()).toEqual(['0.9.0', '0.9.0'])
  })

  it('is rolled back when the computer goes down with it each time', async () => {
    deliver()
    handOverVersion('1.1.0')
    for (let boot = 0; boot < 3; boot++) killAfter('restarted')
    expect(links()).toEqual(['1.1.0', '1.0.0'])
    await run()
    expect(progress()).toMatchObject({
      phase: 'rolled_back',
      reason: 'the computer went down again and again',
      fault: { code: 'update_computer_restarts' },
    })
    expect(links()).toEqual(['1.0.0', '1.0.0'])
  })
})

describe('a kill or a power cut', () => {
  it.each(STEPS)('after the step "%s" of an update ends in a confirmed version that runs', async (step) => {
    deliver()
    handOverVersion('1.1.0')
    expect(killAfter(step)).toBe('SIGKILL')
    // whatever happens next, there is a program
    expect(existsSync(path.join(root, 'current/bin/node'))).toBe(true)
    await run()
    expect(progress()).toMatchObject({ phase: 'confirmed' })
    expect(links()).toEqual(['1.1.0', '1.1.0'])
    expect(isAtRest()).toBe(true)
  })

  it.each(STEPS_BACK)('after the step "%s" of an update that fails ends in the version before', async (step) => {
    deliver()
    handOverVersion('1.1.0', 'silent')
    expect(killAfter(step)).toBe('SIGKILL')
    await run()
    expect(progress()).toMatchObject({ phase: 'rolled_back' })
    expect(links()).toEqual(['1.0.0', '1.0.0'])
    expect(isAtRest()).toBe(true)
  })

  it('that leaves half a copy and half a folder behind costs neither', async () => {
    deliver()
    handOverVersion('1.1.0')
    killAfter('copied')
    const copy = installation.updateFile('archive.tar.zst')
    writeFileSync(copy, readFileSync(copy).subarray(0, 100))
    mkdirSync(installation.updateFile('unpacked/bin'), { recursive: true })
    writeFileSync(installation.updateFile('unpacked/bin/node'), 'half')
    await run()
    expect(links()).toEqual(['1.1.0', '1.1.0'])
    expect(readFileSync(path.join(root, 'current/bin/node'), 'utf8')).toBe('#!/bin/sh\n')
  })

  it('that leaves a damaged state file behind leaves the confirmed version', async () => {
    deliver()
    handOverVersion('1.1.0')
    killAfter('switched')
    writeFileSync(installation.updateFile('state.json'), '{"pha')
    rmSync(incoming('request.json'))
    await run()
    expect(links()).toEqual(['1.0.0', '1.0.0'])
    expect(isAtRest()).toBe(true)
  })
})

describe('what is refused', () => {
  const isUntouched = (reason: RegExp) => {
    expect(progress()).toMatchObject({ phase: 'refused', reason: expect.stringMatching(reason) })
    expect(links()).toEqual(['1.0.0', '1.0.0'])
    expect(versions()).toEqual(['1.0.0'])
    expect(readdirSync(installation.updateFile('.'))).toEqual(['state.json'])
  }
  const good = () => archiveOfVersion(dir, '1.1.0', key.publicKey)

  it.each([
    ['a foreign key', newKey().privateKey, {}, /not signed with the key/],
    ['an older version', key.privateKey, { version: '0.9.0' }, /not newer/],
    ['an expired manifest', key.privateKey, { expires_at: '2026-01-01T00:00:00Z' }, /expired/],
    ['a version that this one cannot update to', key.privateKey, { min_source_version: '1.0.1' }, /needs version 1.0.1/],
    [
      'another version than the manifest names',
      key.privateKey,
      { version: '1.2.0' },
      /the program in the archive is version 1.1.0/,
    ],
  ] as const)('%s', async (_, signer, over, reason) => {
    deliver()
    const archive = good()
    handOver(archive, releaseOf(archive, '1.1.0', signer, over))
    await run()
    isUntouched(reason)
  })

  it('a manifest that was used before, once a newer one was confirmed', async () => {
    deliver()
    handOverVersion('1.1.0')
    await run()
    const archive = archiveOfVersion(dir, '1.2.0', key.publicKey)
    handOver(archive, releaseOf(archive, '1.2.0', key.privateKey), 'again')
    await run()
    expect(progress()).toMatchObject({ phase: 'refused', reason: expect.stringContaining('not above 10') })
  })

  it('an archive that is cut off, longer, or another one', async () => {
    deliver()
    const archive = good()
    const release = releaseOf(archive, '1.1.0', key.privateKey)
    handOver(archive.subarray(0, -1), release, 'cut off')
    await run()
    isUntouched(/does not have the \d+ bytes/)
    handOver(Buffer.concat([archive, Buffer.from('x')]), release, 'longer')
    await run()
    isUntouched(/does not have the \d+ bytes/)
    handOver(Buffer.from(archive).fill(0, 100, 110), release, 'other')
    await run()
    isUntouched(/SHA-256/)
  })

  it('a link, a pipe or nothing in the place of the archive', async () => {
    deliver()
    const archive = good()
    writeFileSync(path.join(dir, 'elsewhere'), archive)
    handOver(archive, releaseOf(archive, '1.1.0', key.privateKey))
    rmSync(incoming('archive.tar.zst'))
    for (const put of [
      () => symlinkSync(path.join(dir, 'elsewhere'), incoming('archive.tar.zst')),
      () => spawnSync('mkfifo', [incoming('archive.tar.zst')]),
      () => mkdirSync(incoming('archive.tar.zst')),
      () => {},
    ]) {
      put()
      await run()
      isUntouched(/no archive.tar.zst|no plain file/)
      rmSync(incoming('archive.tar.zst'), { recursive: true, force: true })
      rmSync(installation.updateFile('state.json'))
    }
  })

  it('a package without a key, and a request that cannot be read', async () => {
    deliver()
    rmSync(path.join(installation.folderOf('1.0.0'), 'update-key.pem'))
    handOverVersion('1.1.0')
    await run()
    expect(progress()).toMatchObject({ phase: 'refused', reason: 'the installed package has no key for updates' })
    writeFileSync(incoming('request.json'), 'x'.repeat(1_000_000))
    await run()
  })

  it('a request without a right signature, and it removes no version that it names', async () => {
    writeVersion(installation.folderOf('1.1.0'), '1.1.0', key.publicKey)
    deliver()
    const archive = good()
    handOver(archive, releaseOf(archive, '1.1.0', newKey().privateKey))
    await run()
    expect(progress()).toMatchObject({ phase: 'refused', version: '1.1.0' })
    expect(versions()).toEqual(['1.0.0', '1.1.0'])
  })

  it.each([
    ['a link', (folder: string) => symlinkSync('/etc/passwd', path.join(folder, 'link')), /neither a file nor a folder/],
    [
      'a hard link',
      (folder: string) => spawnSync('ln', [path.join(folder, 'platform'), path.join(folder, 'twin')]),
      /neither a file nor a folder/,
    ],
    ['a pipe', (folder: string) => spawnSync('mkfifo', [path.join(folder, 'pipe')]), /neither a file nor a folder/],
    ['no key for the next update', (folder: string) => rmSync(path.join(folder, 'update-key.pem')), /no key for the next update/],
    [
      'the program of another platform',
      (folder: string) => writeFileSync(path.join(folder, 'platform'), 'linux-arm64\n'),
      /is for linux-arm64/,
    ],
  ])('an archive with %s, although it is signed', async (_, spoil, reason) => {
    deliver()
    const folder = mkdtempSync(path.join(dir, 'spoilt-'))
    writeVersion(folder, '1.1.0', key.publicKey)
    spoil(folder)
    const archive = archiveOf(folder, 'haltless-agent-1.1.0')
    handOver(archive, releaseOf(archive, '1.1.0', key.privateKey))
    await run()
    isUntouched(reason)
  })

  it.each([
    ['../outside', /leads outside/],
    ['/etc/outside', /leads outside/],
    ['a/../../outside', /leads outside/],
  ])('an archive with the path %s, although it is signed', async (name, reason) => {
    deliver()
    const folder = mkdtempSync(path.join(dir, 'spoilt-'))
    writeFileSync(path.join(folder, 'x'), 'x')
    const archive = archiveOf(folder, name)
    handOver(archive, releaseOf(archive, '1.1.0', key.privateKey))
    await run()
    isUntouched(reason)
    expect(existsSync(path.join(root, 'outside'))).toBe(false)
  })
})
