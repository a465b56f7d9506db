import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fault, type UpdateOrder } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Clock, systemClock } from '../../src/support/clock.ts'
import { HttpClient } from '../../src/support/http.ts'
import { createLogger } from '../../src/support/logger.ts'
import { Installation } from '../../src/updates/installation.ts'
import { ownInstallation } from '../../src/updates/own-installation.ts'
import { UpdateClient, type UpdateSettings } from '../../src/updates/update-client.ts'
import { archiveOfVersion, newKey, PLATFORM, releaseOf, writeVersion } from '../support/release.ts'

const key = newKey()
const ROLLOUT = '5d1f0b9a-7f43-4b93-9d6b-3c8a52f6f001'
const SETTINGS: UpdateSettings = { enabled: true, bytesPerSecond: 1e9 }
/** Backoffs and turns take no time. */
const clock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal) }

let dir: string
let installation: Installation
let archive: Buffer
let requests: { range: string | undefined; url: string | undefined }[]
let answer: (request: IncomingMessage, response: ServerResponse) => void
let close: () => void
let url: string
const clients: UpdateClient[] = []

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-update-client-'))
  installation = new Installation(path.join(dir, 'root'))
  writeVersion(installation.folderOf('1.0.0'), '1.0.0', key.publicKey)
  for (const link of ['current', 'confirmed'] as const) installation.link(link, '1.0.0')
  archive = archiveOfVersion(dir, '1.1.0', key.publicKey)
  requests = []
  answer = whole
  const server = createServer((request, response) => {
    requests.push({ range: request.headers.range, url: request.url })
    answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () => {
    server.closeAllConnections()
    server.close()
  }
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.stop()))
  close()
  rmSync(dir, { recursive: true, force: true })
})

/** As the hub answers. */
function whole(request: IncomingMessage, response: ServerResponse): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  if (from > 0) response.writeHead(206, { 'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}` })
  response.end(archive.subarray(from))
}

const order = (over: Partial<UpdateOrder> = {}): UpdateOrder => ({
  rollout_id: ROLLOUT,
  version: '1.1.0',
  release: releaseOf(archive, '1.1.0', key.privateKey),
  path: '/api/v1/agent/releases/1.1.0/linux-amd64?agent_id=a',
  delay_seconds: 0,
  ...over,
})

function newClient(settings: Partial<UpdateSettings> = {}, isInstalled = true) {
  const http = new HttpClient()
  const changes: unknown[] = []
  const client = new UpdateClient({
    own: isInstalled ? ownInstallation(path.join(installation.folderOf('1.0.0'), 'app/lib')) : null,
    dataDir: path.join(dir, 'data'),
    settings: { ...SETTINGS, ...settings },
    source: (where) => ({
      open: (from, signal) => http.open(url + where, from > 0 ? { range: `bytes=${from}-` } : {}, 2_000, signal),
    }),
    clock,
    logger: createLogger('silent'),
    onChange: () => changes.push(client.report()),
    random: () => 0,
  })
  clients.push(client)
  client.start()
  return { client, changes }
}
/** Only a test that hangs waits so long. */
const PATIENT = { timeout: 60_000 }
const until = (client: UpdateClient, state: string) => vi.waitFor(() => expect(client.report()).toMatchObject({ state }), PATIENT)
const incoming = (name: string) => path.join(dir, 'data/incoming', name)
const request = () => JSON.parse(readFileSync(incoming('request.json'), 'utf8'))
const progress = {
  ...{ id: ROLLOUT, version: '1.1.0', from: '1.0.0', at: '2026-11-24T00:00:00.000Z' },
  ...{ reason: null, sequence: 10, baseline: null, trials: 1 },
}

describe('an ordered update', () => {
  it('is downloaded, verified and handed to the updater', async () => {
    const { client } = newClient()
    client.receive(order())
    await until(client, 'verified')
    await vi.waitFor(() => expect(request()).toMatchObject({ id: ROLLOUT, release: order().release }), PATIENT)
    expect(readFileSync(incoming('archive.tar.zst')).equals(archive)).toBe(true)
    expect(requests).toEqual([{ range: undefined, url: order().path }])
    expect(client.report()).toMatchObject({ platform: PLATFORM, accepts: true, version: '1.1.0', received_bytes: archive.length })
  })

  it('is reported as the updater tells it, also by the version that was installed, and its request goes', async () => {
    const { client } = newClient()
    client.receive(order())
    await until(client, 'verified')
    installation.writeState({ confirmed_sequence: 0, progress: { ...progress, phase: 'switched' } })
    expect(client.report()).toMatchObject({ state: 'switched', rollout_id: ROLLOUT })
    await client.stop()
    installation.writeState({ confirmed_sequence: 10, progress: { ...progress, phase: 'confirmed' } })
    const { client: next, changes } = newClient()
    // the hub repeats its order until it has read the report
    next.receive(order())
    expect(next.report()).toMatchObject({ state: 'confirmed', rollout_id: ROLLOUT, version: '1.1.0' })
    await vi.waitFor(() => expect(existsSync(incoming('request.json'))).toBe(false), PATIENT)
    expect(changes.length).toBeGreaterThan(0)
  })

  it('waits for the updater, which knows only of the update before', async () => {
    installation.writeState({ confirmed_sequence: 9, progress: { ...progress, phase: 'confirmed', id: 'before', sequence: 9 } })
    const { client, changes } = newClient()
    client.receive(order())
    await until(client, 'verified')
    await vi.waitFor(() => expect(changes.at(-1)).toMatchObject({ state: 'verified' }), PATIENT)
    expect(request()).toMatchObject({ id: ROLLOUT })
  })

  it('goes on where a connection broke', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': archive.length })
      response.write(archive.subarray(0, 100), () => response.destroy())
      answer = whole
    }
    const { client } = newClient()
    client.receive(order())
    await until(client, 'verified')
    expect(requests.map(({ range }) => range)).toEqual([undefined, 'bytes=100-'])
  })

  it('begins again where the hub sends all of it although the rest was asked for', async () => {
    mkdirSync(path.join(dir, 'data/incoming'), { recursive: true })
    const { sha256 } = JSON.parse(order().release.manifest).files[0]
    writeFileSync(incoming(`${sha256}.part`), archive.subarray(0, 50))
    writeFileSync(incoming(`${'0'.repeat(64)}.part`), 'of another release')
    answer = (_, response) => void response.end(archive)
    const { client } = newClient()
    client.receive(order())
    await until(client, 'verified')
    expect(readdirSync(path.join(dir, 'data/incoming')).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('waits for its turn and its window, and says so', async () => {
    const hour = new Date().getHours()
    const two = (value: number) => String((value + 24) % 24).padStart(2, '0')
    const { client } = newClient({ window: `${two(hour + 2)}:00-${two(hour + 3)}:00` })
    client.receive(order())
    await vi.waitFor(() => expect(client.report().reason).toMatch(/its window is/), PATIENT)
    expect(client.report().fault).toMatchObject({ code: 'update_waits_for_window', source: 'agent' })
    expect(client.report()).toMatchObject({ state: 'waiting', window: expect.any(String) })
    client.receive(order({ rollout_id: '5d1f0b9a-7f43-4b93-9d6b-3c8a52f6f002', delay_seconds: 3_600 }))
    await vi.waitFor(() => expect(client.report().reason).toBe('its turn to download comes later'), PATIENT)
    expect(requests).toEqual([])
  })

  it('ends when the hub orders it no more, and goes on with what is there when it is ordered again', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': archive.length })
      response.write(archive.subarray(0, 100))
    }
    const { client } = newClient()
    client.receive(order())
    await vi.waitFor(() => expect(client.report().received_bytes).toBe(100), PATIENT)
    client.receive(undefined)
    expect(client.report()).toEqual({ platform: PLATFORM, accepts: true })
    answer = whole
    client.receive(order())
    await until(client, 'verified')
    expect(requests.at(-1)?.range).toBe('bytes=100-')
  })

  it('is no faster than the plant allows', async () => {
    const slow = vi.fn(clock.sleep)
    const { client } = newClient({ bytesPerSecond: 10 })
    Object.assign(clock, { sleep: slow })
    client.receive(order())
    await until(client, 'verified')
    Object.assign(clock, { sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 20), signal) })
    expect(Math.max(...slow.mock.calls.map(([ms]) => ms))).toBeGreaterThan((archive.length / 10) * 1_000 * 0.9)
  })
})

describe('a plant that takes no updates says why', () => {
  it('because of its settings', async () => {
    const { client } = newClient({ enabled: false })
    const why_not = 'updates.enabled is false in its settings'
    const why_not_fault = fault('updates_disabled')
    expect(client.report()).toEqual({ platform: PLATFORM, accepts: false, why_not, why_not_fault })
    client.receive(order())
    await until(client, 'refused')
    expect(client.report()).toMatchObject({ accepts: false, reason: 'updates.enabled is false in its settings' })
  })

  it('because its package has no key', () => {
    rmSync(path.join(installation.folderOf('1.0.0'), 'update-key.pem'))
    expect(newClient().client.report()).toMatchObject({ accepts: false, why_not: 'its package has no key for updates' })
  })

  it('because it was not installed from a package', () => {
    const why_not_fault = fault('updates_not_packaged')
    const why_not = 'it was not installed from a package'
    expect(newClient({}, false).client.report()).toEqual({ accepts: false, why_not, why_not_fault })
  })
})

describe('a hostile hub changes nothing', () => {
  const isRefused = async (given: unknown, reason: RegExp) => {
    const { client } = newClient()
    client.receive(given)
    await until(client, 'refused')
    expect(client.report().reason).toMatch(reason)
    expect(existsSync(incoming('request.json'))).toBe(false)
    await client.stop()
  }

  it('with a release of another key', () =>
    isRefused(order({ release: releaseOf(archive, '1.1.0', newKey().privateKey) }), /not signed with the key/))

  it('with an older release', () =>
    isRefused(order({ version: '0.9.0', release: releaseOf(archive, '0.9.0', key.privateKey) }), /not newer/))

  it('with a version that is not the signed one', () => isRefused(order({ version: '1.2.0' }), /the signed version is 1.1.0/))

  it('with an archive that is not the signed one', async () => {
    answer = (_, response) => void response.end(Buffer.alloc(archive.length))
    await isRefused(order(), /not the signed one/)
    expect(requests.length).toBe(3)
  })

  it('with a body that does not end', async () => {
    answer = (_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        response.once('drain', write)
      }
      write()
    }
    await isRefused(order(), /more than the signed archive/)
    expect(readdirSync(path.join(dir, 'data/incoming'))).toEqual([])
  })

  it.each([
    ['a path to another server', { path: 'https://example.com/x' }],
    ['a path out of the API', { path: '/api/v1/../../x y' }],
    ['a delay of a year', { delay_seconds: 31_536_000 }],
    ['no release', { release: undefined }],
  ])('with %s, which is no order', async (_, over) => {
    const { client } = newClient()
    client.receive({ ...order(), ...over })
    await setTimeout(50)
    expect(client.report()).toEqual({ platform: PLATFORM, accepts: true })
    expect(requests).toEqual([])
  })

  it('with answers that are no archive: the agent tries again, and says what is wrong', async () => {
    answer = (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    const { client } = newClient()
    client.receive(order())
    await vi.waitFor(() => expect(client.report().reason).toBe('the hub answered 302 to the download'), PATIENT)
    answer = (_, response) => void response.socket?.destroy()
    await vi.waitFor(() => expect(client.report().reason).toMatch(/hang up|closed/i), PATIENT)
    answer = whole
    await until(client, 'verified')
  })
})
