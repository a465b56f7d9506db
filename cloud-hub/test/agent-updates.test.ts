import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fault, type UpdateOrder, type UpdateReport } from '@haltless/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { latestOf } from '../src/features/agents/fleet/version.ts'
import {
  addRelease,
  advanceRollouts,
  failSilentUpdates,
  listReleases,
  purgeRollouts,
  removeRelease,
} from '../src/features/agents/updates/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { PLATFORM, takesUpdates, writeRelease } from './support/agent-releases.ts'

const hub = useHub()
const written: string[] = []
const add = async (...args: Parameters<typeof writeRelease>) => {
  const release = writeRelease(...args)
  written.push(release.dir)
  await addRelease(hub.owner, release.file, hub.clock.now())
  return release
}
let archive: Buffer
beforeAll(async () => {
  archive = (await add('1.1.0')).archive
})
afterAll(() => {
  for (const dir of written) rmSync(dir, { recursive: true, force: true })
})

let admin: TestUser
let key: string
beforeEach(async () => {
  const made = await plant(hub)
  admin = made.admin
  key = made.key
})

type Beat = { version?: string; update?: UpdateReport | undefined }
/** One heartbeat. @returns the update that is ordered */
async function beat(agentId: string, { version = '1.0.0', update = takesUpdates }: Beat = {}): Promise<UpdateOrder | undefined> {
  const body = { agent_id: agentId, agent_version: version, update }
  const answer = await hub.call('POST', 'agent/heartbeat', body, { 'x-api-key': key })
  expect(answer.status).toBe(200)
  return answer.body.update
}
const report = (agentId: string, rolloutId: string, state: UpdateReport['state'], more: Partial<UpdateReport> = {}) =>
  beat(agentId, {
    update: { ...takesUpdates, rollout_id: rolloutId, version: '1.1.0', state, at: hub.clock.now().toISOString(), ...more },
  })
const agents = async (...names: string[]) => {
  for (const name of names) await beat(name)
}
const start = (given: object = {}) =>
  admin.call('POST', 'agent/rollouts', { version: '1.1.0', all_agents: true, spread_seconds: 0, ...given })
const started = async (given: object = {}): Promise<string> => {
  const { status, body } = await start(given)
  expect([status, body.code]).toEqual([201, undefined])
  return body.id
}
const load = async (id: string) => (await admin.call('GET', `agent/rollouts/${id}`)).body
const states = async (id: string) =>
  Object.fromEntries((await load(id)).agents.map(({ agent_id, state }: { agent_id: string; state: string }) => [agent_id, state]))
const change = (id: string, name: 'pause' | 'resume' | 'cancel', user = admin) =>
  user.call('POST', `agent/rollouts/${id}/${name}`)
const download = (agentId: string, headers: Record<string, string> = {}, version = '1.1.0', platform = PLATFORM) =>
  hub.app.request(`/api/v1/agent/releases/${version}/${platform}?agent_id=${agentId}`, {
    headers: { 'x-api-key': key, ...headers },
  })

describe('releases', () => {
  it('are listed for admins, newest first, without anything of their key', async () => {
    const { body } = await admin.call('GET', 'agent/releases')
    expect(body[0]).toEqual({
      version: '1.1.0',
      sequence: 1,
      min_source_version: '1.0.0',
      issued_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2099-01-01T00:00:00.000Z',
      is_expired: false,
      platforms: [{ platform: PLATFORM, size: archive.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      added_at: expect.any(String),
    })
  })

  it.each([
    ['the same version', () => writeRelease('1.1.0', { sequence: 2 }), /has the release 1.1.0 already/],
    ['a sequence number that is not higher', () => writeRelease('1.2.0', { sequence: 1 }), /sequence number/],
    ['one that expired', () => writeRelease('1.2.0', { expires_at: '2020-01-01T00:00:00Z' }), /expired/],
    [
      'an archive that is cut off',
      () => {
        const made = writeRelease('1.2.0', { sequence: 2 })
        truncateSync(path.join(made.dir, made.name), 10)
        return made
      },
      /has 10 bytes/,
    ],
    [
      'another archive',
      () => {
        const made = writeRelease('1.2.0', { sequence: 2 })
        writeFileSync(path.join(made.dir, made.name), Buffer.alloc(made.archive.length))
        return made
      },
      /its SHA-256 differs/,
    ],
    [
      'a missing archive',
      () => {
        const made = writeRelease('1.2.0', { sequence: 2 })
        rmSync(path.join(made.dir, made.name))
        return made
      },
      /is missing beside the release/,
    ],
    [
      'no release',
      () => {
        const made = writeRelease('1.2.0')
        writeFileSync(made.file, '{}')
        return made
      },
      /no signed release/,
    ],
  ])('are refused by the command: %s', async (_, make, words) => {
    const made = make()
    written.push(made.dir)
    await expect(addRelease(hub.owner, made.file, hub.clock.now())).rejects.toThrow(words)
    expect((await listReleases(hub.owner)).map(({ manifest }) => manifest.version)).toEqual(['1.1.0'])
  })

  it('are removed only when no rollout uses them', async () => {
    await add('1.0.9', { sequence: 5 })
    await agents('a')
    const id = await started({ version: '1.0.9' })
    await expect(removeRelease(hub.owner, '1.0.9')).rejects.toThrow('has not ended')
    await change(id, 'cancel')
    await removeRelease(hub.owner, '1.0.9')
    await expect(removeRelease(hub.owner, '1.0.9')).rejects.toThrow('has no release 1.0.9')
    expect((await hub.owner`select from agent_release_pieces where version = '1.0.9'`).length).toBe(0)
    expect((await load(id)).version).toBe('1.0.9')
  })
})

describe('a rollout', () => {
  it('orders the update wave by wave, and shows how far each agent is', async () => {
    await agents('a', 'b', 'c', 'd')
    const id = await started({ agent_ids: ['a', 'b', 'c', 'd'], all_agents: undefined, wave_sizes: [1, 2] })
    expect(await states(id)).toEqual({ a: 'announced', b: 'pending', c: 'pending', d: 'pending' })
    expect(await beat('b')).toBeUndefined()
    const order = await beat('a')
    expect(order).toMatchObject({
      rollout_id: id,
      version: '1.1.0',
      delay_seconds: 0,
      path: `/api/v1/agent/releases/1.1.0/${PLATFORM}?agent_id=a`,
    })
    for (const state of ['waiting', 'downloading', 'verified', 'switched'] as const) {
      expect(await report('a', id, state, state === 'downloading' ? { received_bytes: 7 } : {})).toMatchObject({ rollout_id: id })
      expect((await states(id)).a).toBe(state)
    }
    expect(await report('a', id, 'confirmed')).toBeUndefined()
    const second = await load(id)
    expect(second).toMatchObject({ state: 'running', wave: 2, waves: 3, counts: { confirmed: 1, announced: 2, pending: 1 } })
    expect(second.agents[0]).toMatchObject({ agent_id: 'a', wave: 1, from_version: '1.0.0', received_bytes: 7, reason: null })
    for (const name of ['b', 'c']) await report(name, id, 'confirmed')
    expect(await states(id)).toEqual({ a: 'confirmed', b: 'confirmed', c: 'confirmed', d: 'announced' })
    await report('d', id, 'confirmed')
    expect(await load(id)).toMatchObject({ state: 'completed', ended_at: expect.any(String), failures: 0 })
    expect(await beat('d')).toBeUndefined()
  })

  it('stops when too many agents fail, and goes on when an admin resumes it', async () => {
    await agents('a', 'b', 'c')
    const id = await started({ wave_sizes: [1, 1], stop_after_failures: 1 })
    const [first, second] = (await load(id)).agents.map(({ agent_id }: { agent_id: string }) => agent_id)
    await report(first, id, 'rolled_back', { reason: 'these collectors deliver nothing any more: press' })
    expect(await load(id)).toMatchObject({
      state: 'stopped',
      failures: 1,
      reason: `${first}: these collectors deliver nothing any more: press`,
      fault: { code: 'rollout_stopped_by', params: { agent: first } },
    })
    expect((await states(id))[second]).toBe('pending')
    expect((await change(id, 'resume')).body).toMatchObject({ state: 'running', failures: 0, reason: null, fault: null, wave: 2 })
    expect((await states(id))[second]).toBe('announced')
  })

  it('counts what the plant does not want as no failure, and what the agent refuses as one', async () => {
    await agents('a', 'b')
    const id = await started({ agent_ids: ['a', 'b'], all_agents: false, wave_sizes: [1] })
    await report('a', id, 'refused', { accepts: false, reason: 'updates.enabled is false in its settings' })
    expect(await load(id)).toMatchObject({ state: 'running', failures: 0, wave: 2 })
    await report('b', id, 'refused', { reason: 'it is not signed with the key that this agent trusts' })
    expect(await load(id)).toMatchObject({ state: 'stopped', failures: 1 })
  })

  it('skips agents that cannot take the version, and says why', async () => {
    await agents('good')
    await beat('old', { update: undefined })
    await hub.owner`update agents set update_report = null where agent_id = 'old'`
    await beat('off', { update: { accepts: false, why_not: 'updates.enabled is false in its settings' } })
    await beat('arm', { update: { accepts: true, platform: 'linux-arm64' } })
    await beat('same', { version: '1.1.0' })
    await beat('ancient', { version: '0.9.0' })
    const id = await started()
    const taken = (await load(id)).agents
    const reasons = taken.map((agent: Record<string, string>) => [agent.agent_id, agent.state, agent.reason])
    const codes = taken.map(({ fault }: { fault: { code: string } | null }) => fault?.code ?? null)
    expect(reasons).toEqual([
      ['good', 'announced', null],
      ['ancient', 'skipped', 'its version 0.9.0 is older than 1.0.0'],
      ['arm', 'skipped', 'there is no archive for linux-arm64'],
      ['off', 'skipped', 'updates.enabled is false in its settings'],
      ['old', 'skipped', 'its version 1.0.0 does not take updates from the hub'],
      ['same', 'skipped', 'it has version 1.1.0'],
    ])
    expect(codes).toEqual([
      null,
      'agent_version_too_old',
      'agent_platform_missing',
      null,
      'agent_version_without_updates',
      'agent_version_same',
    ])
  })

  it('is refused in words', async () => {
    await agents('a', 'b')
    expect((await start({ version: '9.9.9' })).body.code).toBe('agent_release_not_found')
    expect((await start({ agent_ids: ['a', 'nobody'], all_agents: false })).body.code).toBe('agent_not_found')
    expect((await start({ agent_ids: ['a'] })).body.errors[0].path).toBe('body.agent_ids')
    expect((await start({ all_agents: false })).status).toBe(422)
    for (const faulty of [
      { wave_sizes: [] },
      { wave_sizes: [0] },
      { wave_sizes: Array(21).fill(1) },
      { stop_after_failures: 0 },
      { spread_seconds: 86_401 },
    ])
      expect([faulty, (await start(faulty)).status]).toEqual([faulty, 422])
    await started({ agent_ids: ['a'], all_agents: false })
    const { status, body } = await start()
    expect([status, body.code]).toEqual([409, 'agent_in_rollout'])
    expect(body.detail).toContain(': a.')
    await hub.owner`update agents set agent_version = '1.1.0' where agent_id = 'b' and tenant_id = ${admin.tenantId}`
    expect((await start({ agent_ids: ['b'], all_agents: false })).body).toMatchObject({
      code: 'no_agent_to_update',
      detail: expect.stringContaining('b: it has version 1.1.0'),
      params: { reason: { code: 'agent_version_same', params: { version: '1.1.0' } } },
    })
    await hub.owner`update agents set retired_at = now() where agent_id = 'b' and tenant_id = ${admin.tenantId}`
    expect((await start({ agent_ids: ['b'], all_agents: false })).body.code).toBe('agent_not_found')
  })

  it('pauses, resumes and ends: what is being installed goes on', async () => {
    await agents('a', 'b')
    const id = await started({ wave_sizes: [2] })
    await report('a', id, 'switched')
    await report('b', id, 'downloading')
    expect((await change(id, 'pause')).body.state).toBe('paused')
    expect(await beat('b')).toBeUndefined()
    expect(await report('a', id, 'switched')).toMatchObject({ rollout_id: id })
    expect((await change(id, 'resume')).body.state).toBe('running')
    expect(await beat('b')).toMatchObject({ rollout_id: id })
    expect((await change(id, 'cancel')).body).toMatchObject({ state: 'cancelled', ended_at: expect.any(String) })
    expect(await beat('b')).toBeUndefined()
    expect(await states(id)).toEqual({ a: 'switched', b: 'cancelled' })
    await report('a', id, 'confirmed')
    expect(await states(id)).toEqual({ a: 'confirmed', b: 'cancelled' })
    expect(await load(id)).toMatchObject({ state: 'cancelled' })
  })

  it('can be changed by one of two admins at once only, and says how it is', async () => {
    await agents('a')
    const id = await started()
    const other = await hub.colleague(admin, 'admin')
    const answers = await Promise.all([change(id, 'pause'), change(id, 'pause', other)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    await change(id, 'cancel')
    for (const name of ['pause', 'resume', 'cancel'] as const)
      expect((await change(id, name)).body).toMatchObject({ code: 'rollout_state', detail: expect.stringContaining('cancelled') })
    const both = await Promise.all([start(), start()])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  it('takes an agent for failed that goes silent in the middle of the update, and waits for one that is off', async () => {
    await agents('a', 'b')
    const id = await started({ wave_sizes: [2], stop_after_failures: 2 })
    await report('a', id, 'switched')
    const last = Date.parse((await load(id)).agents[0].since)
    await failSilentUpdates(hub.owner, new Date(last + 3_599_000))
    expect(await states(id)).toEqual({ a: 'switched', b: 'announced' })
    await failSilentUpdates(hub.owner, new Date(last + 3_601_000))
    expect(await states(id)).toEqual({ a: 'failed', b: 'announced' })
    expect((await load(id)).agents.find(({ agent_id }: { agent_id: string }) => agent_id === 'a').reason).toMatch(
      /nothing was heard of it for an hour/,
    )
    // one that comes back later cannot change how it ended
    await report('a', id, 'confirmed')
    expect((await states(id)).a).toBe('failed')
  })

  it('takes an agent for failed whose updater does not get on for six hours, although the agent is heard of', async () => {
    await agents('a', 'b')
    const id = await started({ wave_sizes: [2], stop_after_failures: 2 })
    await report('a', id, 'switched')
    await report('b', id, 'downloading')
    const since = Date.parse((await load(id)).agents.find((it: { agent_id: string }) => it.agent_id === 'a').since)
    await hub.owner`update agents set last_seen = ${new Date(since + 21_600_000)} where tenant_id = ${admin.tenantId}`
    await failSilentUpdates(hub.owner, new Date(since + 21_599_000))
    expect(await states(id)).toEqual({ a: 'switched', b: 'downloading' })
    await failSilentUpdates(hub.owner, new Date(since + 21_601_000))
    expect(await states(id)).toEqual({ a: 'failed', b: 'downloading' })
    const failed = (await load(id)).agents.find((it: { agent_id: string }) => it.agent_id === 'a')
    expect(failed.reason).toMatch(/switched for 6 hours: see journalctl/)
    await change(id, 'cancel')
    expect((await start()).status).toBe(201)
  })

  it('waits a day for an agent that is off, and then goes on if another confirmed the version', async () => {
    await agents('a', 'b', 'c')
    const id = await started({ agent_ids: ['a', 'b', 'c'], all_agents: false, wave_sizes: [2], spread_seconds: 60 })
    const began = Date.parse((await load(id)).agents[0].since)
    const after = (seconds: number) => advanceRollouts(hub.owner, new Date(began + seconds * 1_000))
    await after(2 * 86_400)
    expect(await states(id)).toEqual({ a: 'announced', b: 'announced', c: 'pending' })
    await report('b', id, 'confirmed')
    await after(86_459)
    expect((await states(id)).c).toBe('pending')
    await after(86_460)
    expect(await states(id)).toEqual({ a: 'announced', b: 'confirmed', c: 'announced' })
    await report('c', id, 'confirmed')
    expect((await load(id)).state).toBe('running')
    expect(await beat('a')).toMatchObject({ version: '1.1.0' })
    await report('a', id, 'confirmed')
    expect((await load(id)).state).toBe('completed')
  })

  it('goes on without an agent that is retired', async () => {
    await agents('a', 'b')
    const id = await started({ agent_ids: ['a', 'b'], all_agents: false, wave_sizes: [1] })
    await hub.owner`update agents set last_seen = now() - interval '1 day' where agent_id = 'a' and tenant_id = ${admin.tenantId}`
    expect((await admin.call('POST', 'agent/fleet/a/retire')).status).toBe(204)
    expect(await states(id)).toEqual({ a: 'skipped', b: 'announced' })
  })

  it('spreads the downloads of a wave, for each agent the same', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`)
    await agents(...names)
    await started({ wave_sizes: [20], spread_seconds: 1_000 })
    const delays = []
    for (const name of names) delays.push((await beat(name))?.delay_seconds as number)
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(400)
    expect(Math.max(...delays)).toBeLessThanOrEqual(1_000)
  })

  it('is in the audit trail, is listed newest first, and is deleted two years after its end', async () => {
    await agents('a')
    const first = await started()
    await change(first, 'cancel')
    const second = await started()
    const { items, pagination } = (await admin.call('GET', 'agent/rollouts?page_size=1')).body
    expect([items.map(({ id }: { id: string }) => id), pagination]).toEqual([[second], { total: 2, page: 1, page_size: 1 }])
    const trail = JSON.stringify((await admin.call('GET', 'audit-log')).body)
    for (const event of ['rollout.created', 'rollout.cancelled']) expect(trail).toContain(event)
    await purgeRollouts(hub.owner, new Date(Date.now() + 731 * 86_400_000))
    expect((await admin.call('GET', 'agent/rollouts')).body.items.map(({ id }: { id: string }) => id)).toEqual([second])
  })

  it('is invisible to another tenant', async () => {
    await agents('a')
    const id = await started()
    const stranger = await hub.admin()
    expect((await stranger.call('GET', `agent/rollouts/${id}`)).body.code).toBe('agent_rollout_not_found')
    expect((await change(id, 'cancel', stranger)).status).toBe(404)
    expect((await stranger.call('GET', 'agent/rollouts')).body.items).toEqual([])
  })

  it('of 1,000 agents starts and advances without a statement for each', async () => {
    await hub.owner`
      insert into agents (tenant_id, agent_id, agent_version, last_seen, update_report)
      select ${admin.tenantId}, 'box-' || n, '1.0.0', now(), ${hub.owner.json(takesUpdates as never)} from generate_series(1, 1000) n`
    const { body } = await start({ wave_sizes: [1, 999] })
    expect(body.counts).toEqual({ announced: 1, pending: 999 })
    await report(body.agents[0].agent_id, body.id, 'confirmed')
    expect((await load(body.id)).counts).toEqual({ confirmed: 1, announced: 999 })
  })
})

describe('the archive', () => {
  it('is for agents that are ordered it, as a whole or the rest of it', async () => {
    await agents('a', 'b')
    await started({ agent_ids: ['a'], all_agents: false })
    const answer = await download('a')
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(archive.length)])
    expect(Buffer.from(await answer.arrayBuffer()).equals(archive)).toBe(true)
    const etag = answer.headers.get('etag') as string
    const rest = await download('a', { range: 'bytes=300000-', 'if-range': etag })
    expect([rest.status, rest.headers.get('content-range')]).toEqual([
      206,
      `bytes 300000-${archive.length - 1}/${archive.length}`,
    ])
    expect(Buffer.from(await rest.arrayBuffer()).equals(archive.subarray(300_000))).toBe(true)
    const few = await download('a', { range: 'bytes=262140-262147' })
    expect(Buffer.from(await few.arrayBuffer()).equals(archive.subarray(262_140, 262_148))).toBe(true)
    expect((await download('a', { range: 'bytes=0-', 'if-range': '"another"' })).status).toBe(200)
    expect((await download('a', { range: `bytes=${archive.length}-` })).status).toBe(416)
    expect((await download('b')).status).toBe(403)
    expect((await download('a', {}, '1.2.0')).status).toBe(403)
    expect((await download('a', {}, '1.1.0', 'linux-arm64')).status).toBe(404)
  })

  it('is refused to the credential of another agent', async () => {
    const enrolment = (await admin.call('POST', 'enrolment-keys', { name: 'box' })).body.key
    const { credential } = (
      await hub.call('POST', 'agent/enroll', { agent_id: 'mine', agent_version: '1.0.0' }, { 'x-api-key': enrolment })
    ).body
    await agents('a')
    await started()
    expect((await download('a', { 'x-api-key': credential })).status).toBe(403)
  })
})

it('the newest release is the latest version, unless the setting names a newer one', async () => {
  await agents('a')
  const latest = async () => (await hub.call('GET', 'agent/heartbeat', undefined, { 'x-api-key': key })).body.latest_agent_version
  expect(await latest()).toBe('1.1.0')
  const [agent] = (await admin.call('GET', 'agent/fleet')).body.agents
  expect(agent.update_available).toBe(true)
  expect(latestOf({ latestAgentVersion: '1.2.0', minSupportedVersion: '1.0.0' }, '1.1.0').latestAgentVersion).toBe('1.2.0')
})

it('the fleet shows what each agent says about updates', async () => {
  await agents('a')
  const id = await started()
  const found = fault('update_time_over', { minutes: 10, reason: fault('update_does_not_start') })
  await report('a', id, 'rolled_back', { reason: 'why', fault: found })
  const [agent] = (await admin.call('GET', 'agent/fleet')).body.agents
  expect(agent.update).toMatchObject({
    accepts: true,
    why_not: null,
    platform: PLATFORM,
    version: '1.1.0',
    state: 'rolled_back',
    reason: 'why',
    fault: found,
    window: null,
  })
})

describe('the archive of a release', () => {
  it('is downloaded by an admin, whole or a range of it, and by nobody else', async () => {
    const get = (user: TestUser, version: string, headers: Record<string, string> = {}) =>
      hub.app.request(
        `/api/v1/agent/releases/${version}/${PLATFORM}/archive`,
        { headers: { authorization: `Bearer ${user.token}`, ...headers } },
        { incoming: { socket: { remoteAddress: '10.8.8.8' } } },
      )
    const whole = await get(admin, '1.1.0')
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename="haltless-agent-1.1.0-${PLATFORM}.tar.zst"`)
    expect(Buffer.from(await whole.arrayBuffer()).equals(archive)).toBe(true)
    const part = await get(admin, '1.1.0', { range: 'bytes=2-5' })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, archive.subarray(2, 6)])
    expect((await get(admin, '9.9.9')).status).toBe(404)
    expect((await get(await hub.colleague(admin, 'operator'), '1.1.0')).status).toBe(403)
  })
})
