import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endAll, holdPort, keptPort, type Program, processesWith, run, until } from './processes.ts'
import { copyReadyCluster } from './support/ready-cluster.ts'

/** `npm start` as a new user runs it, but for the ports. */
const DEMO = 'cloud-hub/src/demo/main.ts'
const MACHINES = ['compressor-01', 'oven-01', 'packaging-01', 'press-01', 'pump-01']
const projectRoot = path.resolve(import.meta.dirname, '../..')

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'haltless-start-'))
  // as root, PostgreSQL runs as somebody else, who must be able to enter
  chmodSync(dataDir, 0o755)
})
afterEach(async () => {
  await endAll()
  await until('nothing runs on the data', () => processesWith(dataDir).length === 0)
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(env: Record<string, string> = {}): Promise<Program & { ports: Record<'PORT' | 'MQTT_PORT', string> }> {
  const ports = { PORT: String(await keptPort()), MQTT_PORT: String(await keptPort()) }
  return { ...run(DEMO, [], { DATA_DIR: dataDir, DEMO_PAST_DAYS: '0', ...ports, ...env }), ports }
}

interface Access {
  url: string
  email: string
  password: string
  api_key: string
  token: string
}

const accessOf = (dir: string): Access => JSON.parse(readFileSync(path.join(dir, 'demo.json'), 'utf8'))
const isUp = (demo: Program) => demo.out().includes('Ctrl-C') || demo.out().includes('API reference')

async function call<T>(url: string, method: string, headers: Record<string, string>, body?: unknown): Promise<T> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

async function signIn({ url, email, password }: Access) {
  const { access_token } = await call<{ access_token: string }>(`${url}/api/v1/auth/login`, 'POST', {}, { email, password })
  const get = <T>(what: string) => call<T>(`${url}/api/v1/${what}`, 'GET', { authorization: `Bearer ${access_token}` })
  const machines = async () =>
    (await get<{ items: { id: string; machine_identifier: string; status: string }[] }>('machines?page_size=100')).items
  return {
    get,
    machines,
    remove: (what: string) =>
      fetch(`${url}/api/v1/${what}`, { method: 'DELETE', headers: { authorization: `Bearer ${access_token}` } }),
    /** machine_identifier to how many metrics have a value */
    values: async () =>
      Object.fromEntries(
        await Promise.all(
          (await machines()).map(async ({ id, machine_identifier }) => {
            const { readings } = await get<{ readings: object }>(`machines/${id}/readings/latest`)
            return [machine_identifier, Object.keys(readings).length] as const
          }),
        ),
      ),
  }
}

/** The children's output ends with them: nothing of this start may be left, PostgreSQL included. */
const nothingRuns = () => until('plant, agent and PostgreSQL are gone', () => processesWith(dataDir).length === 0)

describe('npm start', () => {
  it('shows five machines with values in half a minute, stops cleanly, and goes on where it was', async () => {
    const first = await start()
    await until('it is up', () => isUp(first))
    const access = accessOf(dataDir)
    expect(Object.keys(access)).toEqual(['url', 'email', 'password', 'api_key', 'token'])
    expect(access.url).toBe(`http://127.0.0.1:${first.ports.PORT}`)
    for (const word of [`${access.url}/docs`, access.email, access.password]) expect(first.out()).toContain(word)
    const token = /Open in a browser +(\S+)\/sign-in#demo=([\w-]{43}) /.exec(first.out())?.slice(1) ?? []
    expect(token[0]).toBe(access.url)
    const signInOnce = () => call(`${access.url}/api/v1/auth/demo`, 'POST', {}, { token: token[1] })
    expect(await signInOnce()).toMatchObject({ token_type: 'bearer' })
    await expect(signInOnce()).rejects.toThrow(/401.*demo_token_invalid/)
    const heartbeat = { agent_id: 'by-hand', agent_version: '0.1.0' }
    await call(`${access.url}/api/v1/agent/heartbeat`, 'POST', { 'x-api-key': access.api_key }, heartbeat)
    const before = await signIn(access)
    await until('all machines have values', async () => {
      const values = await before.values()
      return MACHINES.every((machine) => (values[machine] ?? 0) >= 7)
    })
    expect((await before.machines()).map(({ machine_identifier }) => machine_identifier).sort()).toEqual(MACHINES)
    // its bearing fails within a minute: on a busy machine the first table may show that
    const row = /Cooling water pump 1 +(healthy|warning|critical) +vibration +\d+\.\d\d mm\/s/
    await until('the table is printed', () => row.test(first.out()))
    for (const file of ['demo.json', 'logs/hub.log', 'logs/agent.log', 'logs/plant.log'])
      expect(readFileSync(path.join(dataDir, file), 'utf8')).not.toContain(token[1])
    // PostgreSQL, plant and agent all name the data directory
    expect(processesWith(dataDir).length).toBeGreaterThanOrEqual(3)
    const stoppedAt = Date.now()
    expect(await first.end('SIGTERM')).toBe(0)
    expect(first.out()).toMatch(/Stopping \.\.\.\nStopped\.\n$/)
    expect(first.err()).toBe('')
    await nothingRuns()

    const second = await start()
    await until('it is up again', () => isUp(second))
    const now = accessOf(dataDir)
    expect(now).toEqual({ ...access, url: `http://127.0.0.1:${second.ports.PORT}` })
    const after = await signIn(now)
    const [press] = (await after.machines()).filter(({ machine_identifier }) => machine_identifier === 'press-01')
    const range = `start_time=${new Date(stoppedAt - 60_000).toISOString()}&end_time=${new Date(stoppedAt).toISOString()}`
    const kept = await after.get<unknown>(`machines/${press?.id}/readings?${range}`)
    expect(JSON.stringify(kept)).toContain('oil_temperature')
    const made = ['notification-channels', 'composite-rules', 'escalation-policies', 'alert-rules']
    const counts = await Promise.all(made.map(async (what) => (await after.get<unknown[]>(what)).length))
    expect(counts).toEqual([2, 1, 1, 9])
    expect(await second.end('SIGINT')).toBe(0)
    expect(second.err()).toBe('')
    await nothingRuns()
  })

  it('a new plant has days behind it: readings, stops with reasons, shifts, alerts that somebody took, orders, maintenance, nothing delivered', async () => {
    copyReadyCluster(dataDir)
    const demo = await start({ DEMO_PAST_DAYS: '9' })
    await until('it is up', () => isUp(demo))
    const hubLog = () => readFileSync(path.join(dataDir, 'logs/hub.log'), 'utf8')
    await until('its past is complete', () => hubLog().includes('the past of the demonstration is complete'))
    expect(hubLog()).not.toContain('"level":"warn"')
    const { get, machines } = await signIn(accessOf(dataDir))
    const count = async (what: string) => {
      const found = await get<{ total?: number; pagination?: { total: number } }>(what)
      return found.total ?? found.pagination?.total ?? 0
    }
    const now = Date.now()
    const [dayAgo, weekAgo] = [1, 7].map((days) => new Date(now - days * 86_400_000).toISOString())
    const pump = (await machines()).find(({ machine_identifier }) => machine_identifier === 'pump-01')
    const hour = `start_time=${weekAgo}&end_time=${new Date(Date.parse(weekAgo as string) + 3_600_000).toISOString()}`
    expect(JSON.stringify(await get(`machines/${pump?.id}/readings?${hour}`))).toContain('bearing_temperature')
    // three shifts a day of five machines; the first and the last day are cut
    expect(await count('shifts/logs?status=completed&page_size=1')).toBeGreaterThanOrEqual(7 * 15)
    const old = await get<{
      items: { id: string; acknowledged_by: string | null; acknowledged_at: string; triggered_at: string; created_at: string }[]
    }>(`alerts?end_date=${dayAgo}&page_size=100`)
    expect(old.items.length).toBeGreaterThan(20)
    expect(old.items.filter((alert) => alert.acknowledged_by === null)).toEqual([])
    expect(old.items.every((alert) => Date.parse(alert.created_at) - Date.parse(alert.triggered_at) <= 1_800_000)).toBe(true)
    // each alert was seen within two hours, not with another one of days before or after
    const seenAfter = old.items.map((alert) => Date.parse(alert.acknowledged_at) - Date.parse(alert.triggered_at))
    expect(Math.min(...seenAfter)).toBeGreaterThan(0)
    expect(Math.max(...seenAfter)).toBeLessThan(2 * 3_600_000)
    // the pump alone has one nearly every day
    expect(await count('work-orders?status=completed&page_size=1')).toBeGreaterThan(5)
    const visits = await get<{ status: string; scheduled_end: string }[]>('maintenance')
    const isOver = ({ scheduled_end }: { scheduled_end: string }) => Date.parse(scheduled_end) < now
    expect(new Set(visits.filter(isOver).map(({ status }) => status))).toEqual(new Set(['completed', 'scheduled']))
    expect(visits.filter((visit) => !isOver(visit)).length).toBeGreaterThan(5)
    const { reasons } = await get<{ reasons: { reason_code: { code: string } | null }[] }>('fleet/downtime/pareto')
    const named = reasons.map(({ reason_code }) => reason_code?.code)
    expect(named).toEqual(expect.arrayContaining(['changeover.tool', 'maintenance.corrective']))
    const channels = await get<{ id: string }[]>('notification-channels')
    const attempts = await Promise.all(
      channels.map(({ id }) => get<{ items: { alert_id: string | null }[] }>(`notification-channels/${id}/deliveries`)),
    )
    const oldIds = old.items.map(({ id }) => id)
    expect(attempts.flatMap(({ items }) => items).filter(({ alert_id }) => oldIds.includes(alert_id ?? ''))).toEqual([])
    expect(await demo.end('SIGTERM')).toBe(0)
  })

  it('says how many days a plant can have behind it', async () => {
    const demo = await start({ DEMO_PAST_DAYS: '91' })
    expect(await demo.ended).toBe(1)
    expect(demo.err()).toContain('DEMO_PAST_DAYS must be a whole number from 0 to 90, not 91')
  })

  it('offers commands that work as they are printed, on a relative DATA_DIR of the project, and runs once on its data', async () => {
    const demo = await start({ DATA_DIR: path.relative(projectRoot, dataDir) })
    await until('it is up', () => isUp(demo))
    expect(demo.out()).toContain(`${dataDir}/demo.json`)
    const { url: hubUrl, api_key, token } = accessOf(dataDir)
    const pump = (await (await signIn(accessOf(dataDir))).machines()).find((m) => m.machine_identifier === 'pump-01')
    // curl is a function here: the words that a shell would give it
    const words = (line: string): string[] =>
      execFileSync('sh', ['-c', `token=T; curl() { printf '%s\\n' "$@"; }; ${line}`], { encoding: 'utf8' })
        .trimEnd()
        .split('\n')
    const [, given, machines = '', stream = '', ingest = '', pareto = ''] =
      /^ +token=(\S+)\n +1\.[^\n]*\n +(curl[^\n]*)\n +2\.[^\n]*\n +(curl[^\n]*)\n +3\.[^\n]*\n +(curl[^\n]*)\n +4\.[^\n]*\n +(curl[^\n]*)$/m.exec(
        demo.out(),
      ) ?? []
    expect(given).toBe(token)
    const answerOf = (path: string, method = 'GET') =>
      fetch(`${hubUrl}/api/v1/${path}`, { method, headers: { authorization: `Bearer ${token}` } })
    for (const [line, option, path] of [
      [machines, '-s', 'machines'],
      [stream, '-sN', `stream?machine_id=${pump?.id}`],
      [pareto, '-s', 'fleet/downtime/pareto'],
    ] as const) {
      expect(words(line)).toEqual([option, `${hubUrl}/api/v1/${path}`, '-H', 'authorization: Bearer T'])
      const answer = await answerOf(path)
      expect([path, answer.status]).toEqual([path, 200])
      await answer.body?.cancel()
    }
    expect((await answerOf(`machines/${pump?.id}`, 'DELETE')).status).toBe(403)
    const [, url = '', , key, , , , body = ''] = words(ingest)
    expect(key).toBe(`x-api-key: ${api_key}`)
    const sent = await call<{ accepted_count: number }>(url, 'POST', { 'x-api-key': api_key }, JSON.parse(body))
    expect(sent.accepted_count).toBe(1)
    const user = await signIn(accessOf(dataDir))
    const sites = await user.get<{ machine_count: number }[]>('fleet/sites')
    expect(sites.map(({ machine_count }) => machine_count)).toEqual([3, 2])
    const detection = await user.get<object>(`machines/${pump?.id}/downtime-detection`)
    expect(detection).toMatchObject({ is_active: true, signal: 'state', metric_name: 'running', stopped_values: [0] })

    const second = await start()
    expect(await second.ended).toBe(1)
    expect(second.err()).toBe(
      `npm start already runs on ${dataDir}. Stop that one, or give this one other data: DATA_DIR=./other-data\n`,
    )
    expect(accessOf(dataDir).url).toBe(`http://127.0.0.1:${demo.ports.PORT}`)
    expect(await demo.end('SIGTERM')).toBe(0)
  })

  it('a kill leaves no orphans, the next start repairs and replaces a revoked token, and after ten wrong passwords the next one waits with a message', async () => {
    copyReadyCluster(dataDir)
    const first = await start()
    await until('it is up', () => isUp(first))
    const access = accessOf(dataDir)
    const [own] = await (await signIn(access)).get<{ id: string }[]>('tokens')
    await (await signIn(access)).remove(`tokens/${own?.id}`)
    expect(await first.end('SIGKILL')).toBe('SIGKILL')
    await nothingRuns()

    const second = await start()
    await until('it is up again', () => isUp(second))
    const now = accessOf(dataDir)
    expect(now).toEqual({ ...access, url: now.url, token: expect.stringMatching(/^ht_/) })
    expect(now.token).not.toBe(access.token)
    for (let attempt = 0; attempt < 10; attempt++)
      await expect(signIn({ ...now, password: 'Wrong-password-1' })).rejects.toThrow(/401/)
    await expect(signIn(now)).rejects.toThrow(/429/)
    expect(await second.end('SIGTERM')).toBe(0)
    await nothingRuns()

    const third = await start()
    await until('it says why it waits', () => /accepts no sign-in for 1\d minutes/.test(third.out()))
    expect(await third.end('SIGINT')).toBe(0)
    expect([third.out().endsWith('Stopped.\n'), third.err()]).toEqual([true, ''])
    expect(accessOf(dataDir)).toEqual(now)
    await nothingRuns()
  })

  it('stopped while it starts, it ends cleanly too', async () => {
    const demo = await start()
    await until('it begins', () => demo.out().includes('Starting Haltless'))
    expect(await demo.end('SIGINT')).toBe(0)
    expect(demo.err()).toBe('')
    await nothingRuns()
  })

  it.each(['PORT', 'MQTT_PORT'] as const)('%s in use is one clear sentence', async (setting) => {
    const { port, release } = await holdPort()
    try {
      const demo = await start({ [setting]: String(port) })
      expect(await demo.ended).toBe(1)
      expect(demo.err()).toBe(
        `Port ${port} is in use by another program. Stop that program, or set another port: ${setting}=${port + 1}\n`,
      )
      await nothingRuns()
    } finally {
      await release()
    }
  })
})
