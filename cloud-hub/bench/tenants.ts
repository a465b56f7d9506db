import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchRow, fullOrShort, runRows } from '@haltless/protocol/bench'
import { newKey } from '../src/features/people/accounts/key-format.ts'
import { storeReadings } from '../test/support/stored-readings.ts'
import { addMachines, type BenchHub, fetchText, onHub, readAgent, startBenchHub } from './environment.ts'
import { closeConnections, post } from './senders.ts'

/** Tenants that send few readings; some of them have users who read, and rules that raise alerts. */
const QUIET = fullOrShort(1_000, 20)
const READING = fullOrShort(100, 10)
/** of each, in the whole hub */
const PER_SECOND = { ingest: 50, reads: 20, alerts: 5 }
const PHASE_SECONDS = fullOrShort(15, 3)
/** phases of each side, of which the first is dropped */
const ROUNDS = fullOrShort(5, 2)
const LOUD = { machines: 100, users: fullOrShort(20, 4), keys: fullOrShort(20, 2) }
const DAY_MS = 86_400_000
/** A webhook that has not arrived after this time is lost. */
const ARRIVES_MS = 20_000

type Kind = keyof typeof PER_SECOND
type Samples = Record<Kind, number[]>

interface QuietTenant {
  tenantId: string
  machineId: string
  key: string
  /** of its admin; undefined: nobody reads */
  token?: string
}

/** Inserts tenants with a machine and a key each, because the API would take minutes. */
async function addQuietTenants(hub: BenchHub): Promise<QuietTenant[]> {
  const keys = Array.from({ length: QUIET }, () => newKey('hk'))
  const made = await hub.owner<{ tenantId: string; machineId: string; n: number }[]>`
    with tenant as (
      insert into tenants (name) select 'Quiet ' || i from generate_series(1, ${QUIET}::int) i returning id, name
    ), machine as (
      insert into machines (tenant_id, name, machine_identifier, protocol) select id, 'Press', 'press', 'json' from tenant returning id, tenant_id
    )
    select tenant.id as "tenantId", machine.id as "machineId", substr(tenant.name, 7)::int as n from tenant join machine on machine.tenant_id = tenant.id
    order by 3`
  const ids = made.map(({ tenantId }) => tenantId)
  await hub.owner`
    insert into users (tenant_id, email, full_name, password_hash, role)
    select t, 'quiet-' || n || '@example.com', 'Quiet', (select password_hash from users where id = ${hub.userId}), 'admin'
    from unnest(${ids}::uuid[]) with ordinality q(t, n)`
  await hub.owner`
    insert into api_keys (tenant_id, name, prefix, key_hash, created_by)
    select t, 'bench', prefix, hash, (select id from users where tenant_id = t limit 1)
    from unnest(${ids}::uuid[], ${keys.map(({ prefix }) => prefix)}::text[], ${keys.map(({ keyHash }) => keyHash)}::text[]) q(t, prefix, hash)`
  return made.map(({ tenantId, machineId }, i) => ({ tenantId, machineId, key: (keys[i] as { key: string }).key }))
}

/** Receives webhooks at `/INDEX` of the tenant. */
async function receiver() {
  const waiting = new Map<string, () => void>()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(204).end()
      waiting.get((request.url as string).slice(1))?.()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/`,
    next: (index: number) =>
      new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('a webhook did not arrive')), ARRIVES_MS)
        waiting.set(String(index), () => {
          clearTimeout(late)
          resolve()
        })
      }),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Sink = Awaited<ReturnType<typeof receiver>>

async function call<T>(hub: BenchHub, route: string, body: object, token = ''): Promise<T> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const answer = await fetch(`${hub.url}/api/v1${route}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${route} answered ${answer.status}: ${await answer.text()}`)
  return answer.json() as Promise<T>
}

/** Signs the admin of a quiet tenant in, and gives it a rule and a webhook. */
async function prepareReader(hub: BenchHub, sink: Sink, tenant: QuietTenant, i: number): Promise<void> {
  const login = { email: `quiet-${i + 1}@example.com`, password: 'Correct-horse-7' }
  tenant.token = (await call<{ access_token: string }>(hub, '/auth/login', login)).access_token
  await call(hub, '/alert-rules', { metric_name: 'vibration', warning_threshold: 4, critical_threshold: 8 }, tenant.token)
  const channel = { name: 'bench', channel_type: 'webhook', config: { url: `${sink.url}${i}` } }
  await call(hub, '/notification-channels', channel, tenant.token)
}

const METRICS = ['temperature', 'pressure', 'speed', 'power']
/** Sends readings of a quiet tenant's machine, one instant after the other. */
function send(
  hub: BenchHub,
  { key }: QuietTenant,
  values: readonly { metric: string; values: readonly number[] }[],
): Promise<void> {
  const now = Date.now()
  const readings = values.flatMap(({ metric, values }) =>
    values.map((value, i) => ({
      machine_identifier: 'press',
      metric_name: metric,
      unit: 'mm/s',
      timestamp: new Date(now + i).toISOString(),
      value,
    })),
  )
  return post(new URL(`${hub.url}/api/v1/ingest`), key, Buffer.from(JSON.stringify({ readings })), readings.length)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Runs `work` so many times a second, whatever the earlier ones take: a hub that is slow is not asked less. */
async function atRate(perSecond: number, work: (i: number) => Promise<number>): Promise<number[]> {
  const begun = performance.now()
  const all: Promise<number>[] = []
  for (let i = 0; i < perSecond * PHASE_SECONDS; i++) {
    const due = begun + (i * 1_000) / perSecond
    const wait = due - performance.now()
    if (wait > 0) await sleep(wait)
    all.push(work(i))
  }
  return Promise.all(all)
}

let asked = 0
/** The quiet tenants for one phase. */
async function quietPhase({ hub, sink, quiet }: Company): Promise<Samples> {
  const readers = quiet.slice(0, READING)
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const paths = (machineId: string) => [
    `/machines/${machineId}/readings/latest`,
    '/machines',
    '/alerts',
    `/machines/${machineId}/readings?start=${from}&interval=1m`,
  ]
  const first = asked
  asked += PHASE_SECONDS * Math.max(...Object.values(PER_SECOND))
  const [ingest, reads, alerts] = await Promise.all([
    atRate(PER_SECOND.ingest, (i) => {
      const tenant = quiet[READING + ((first + i) % (QUIET - READING))] as QuietTenant
      return timed(() =>
        send(
          hub,
          tenant,
          METRICS.map((metric, n) => ({ metric, values: [n + (i % 10) / 10] })),
        ),
      )
    }),
    atRate(PER_SECOND.reads, (i) => {
      const { machineId, token } = readers[(first + i) % READING] as QuietTenant & { token: string }
      const route = paths(machineId)[i % 4] as string
      return timed(() => fetchText(`${hub.url}/api/v1${route}`, token))
    }),
    atRate(PER_SECOND.alerts, async (i) => {
      const index = (first + i) % READING
      const tenant = readers[index] as QuietTenant
      const took = await timed(() => Promise.all([sink.next(index), send(hub, tenant, [{ metric: 'vibration', values: [9] }])]))
      await sleep(10)
      await send(hub, tenant, [{ metric: 'vibration', values: [1, 1, 1] }])
      return took
    }),
  ])
  return { ingest, reads, alerts }
}

/** @returns once each kind of request of the loud tenant was answered; `close` fails when it was idle afterwards */
async function startLoud({ hub, loudMachines }: Company) {
  const script = path.join(import.meta.dirname, 'loud-tenant.ts')
  const args = [script, hub.url, hub.keys.join(), hub.tokens.join(), loudMachines.join()]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  if ((await lines.next()).value !== 'ready') throw new Error('the loud tenant has ended')
  return {
    async close(): Promise<void> {
      child.stdin.end()
      const answers = JSON.parse((await lines.next()).value ?? '{}') as Record<string, number>
      if (process.env.BENCH_LOUD) process.stderr.write(`the loud tenant: ${JSON.stringify(answers)}\n`)
      if (!((answers.ingest ?? 0) > 0 && (answers.reads ?? 0) > 0))
        throw new Error(`the loud tenant was idle: ${JSON.stringify(answers)}`)
    },
  }
}

interface Company {
  hub: BenchHub
  sink: Sink
  quiet: QuietTenant[]
  loudMachines: string[]
}

async function fill(hub: BenchHub, sink: Sink): Promise<Company> {
  await addMachines(hub, 0, LOUD.machines)
  await hub.owner`update users set role = 'admin' where tenant_id = ${hub.tenantId}`
  const machines = await hub.owner<{ id: string }[]>`select id from machines where tenant_id = ${hub.tenantId} order by name`
  const loudMachines = machines.map(({ id }) => id)
  // a week of readings, so that its charts, exports and back-tests take long
  const end = Date.now() - 60_000
  const times = Float64Array.from({ length: fullOrShort(40_000, 1_000) }, (_, i) => end - (7 * DAY_MS * i) / 40_000).reverse()
  for (const [n, machineId] of loudMachines.slice(0, fullOrShort(20, 2)).entries())
    await storeReadings(
      hub.owner,
      Array.from({ length: 4 }, (_, m) => ({
        machineId,
        metric: `metric_${m}`,
        unit: 'celsius',
        times,
        values: times.map((_, i) => Math.round(1_000 * Math.sin(n + m + i / 50)) / 10),
      })),
    )
  const quiet = await addQuietTenants(hub)
  for (const [i, tenant] of quiet.slice(0, READING).entries()) await prepareReader(hub, sink, tenant, i)
  // the first readings create series
  for (const tenant of quiet)
    await send(
      hub,
      tenant,
      METRICS.map((metric) => ({ metric, values: [1] })),
    )
  await hub.owner.unsafe('vacuum analyze')
  return { hub, sink, quiet, loudMachines }
}

const quantile = (values: number[], q: number) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * q) - 1] as number

interface Measured {
  company: Company
  alone: Samples
  beside: Samples
}

/** Measures all kinds of requests at the same time, alone and beside the loud tenant in turns. */
async function measure(company: Company): Promise<Measured> {
  const [alone, beside]: [Samples, Samples] = [
    { ingest: [], reads: [], alerts: [] },
    { ingest: [], reads: [], alerts: [] },
  ]
  const add = (to: Samples, found: Samples) => {
    for (const kind of Object.keys(to) as Kind[]) to[kind].push(...found[kind])
  }
  for (let round = 0; round < ROUNDS; round++) {
    const first = await quietPhase(company)
    const loud = await startLoud(company)
    const second = await quietPhase(company)
    await loud.close()
    if (round === 0) continue
    add(alone, first)
    add(beside, second)
  }
  return { company, alone, beside }
}

let shared: Promise<Measured> | null = null
/** One hub for all rows of the run, and one measurement. */
const measured = () =>
  (shared ??= (async () => {
    const sink = await receiver()
    const env = { OUTBOUND_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'info' }
    return onHub(startBenchHub({ users: LOUD.users, keys: LOUD.keys }, env), async (hub) => measure(await fill(hub, sink)))
  })())

const row = (kind: Kind, what: string): BenchRow => ({
  row: `tenants.quiet.${kind}`,
  against: 'the same without the loud tenant',
  unit: `milliseconds, p99 of ${what} of ${QUIET.toLocaleString('en')} quiet tenants beside a loud one`,
  rounds: 1,
  prepare: async () => {
    const { alone, beside } = await measured()
    if (process.env.BENCH_LOUD)
      process.stderr.write(
        `${kind}: ${[alone, beside].map((side) => [0.5, 0.9, 0.99, 1].map((q) => quantile(side[kind], q).toFixed(1)).join(' ')).join(' | ')}\n`,
      )
    return { ours: () => quantile(beside[kind], 0.99), theirs: () => quantile(alone[kind], 0.99) }
  },
})

try {
  await runRows(
    [row('reads', 'answers'), row('ingest', 'ingest requests'), row('alerts', 'webhooks after their reading was sent')],
    process.argv.slice(2),
  )
} finally {
  const made = await (shared as Promise<Measured> | null)?.catch(() => null)
  await made?.company.hub.close()
  made?.company.sink.close()
  readAgent.destroy()
  closeConnections()
}
