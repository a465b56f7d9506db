import { request } from 'node:https'
import type postgres from 'postgres'
import { until } from '../test/processes.ts'
import { documentedFiles, type Haproxy, PROXY_ADDRESS, prepareHaproxy } from '../test/support/haproxy.ts'
import { type Relay, startRelay } from '../test/support/relay.ts'
import { type Alarms, startAlarms } from './alarms.ts'
import { type Comparison, compare } from './compare.ts'
import { asOwner, checkDurability, type HubProcess, hubProcess } from './hub-process.ts'
import { openLedger } from './ledger.ts'
import type { RowContext } from './row.ts'
import { countingSource, type Sender, startSender } from './sender.ts'
import { startDatabase } from './shared.ts'
import { makeTenant, type Tenant } from './tenant.ts'
import { httpTransport, mqttTransport, type Transport } from './transports.ts'

const HUBS = 3
const AGENTS = 200
const PROGRAMS = 4
const STREAMS = 6
const PAUSE_MS = 2_000
/** Longer than a stream takes to notice that its connection is dead. */
const STREAM_MS = 45_000

/** Three hubs with embedded brokers behind the HAProxy of `docs/several-hubs.md`, which ends TLS. The third one has a network that can be cut. */
export interface BalancedHubs {
  hubs: HubProcess[]
  haproxy: Haproxy
  database: { url: string; owner: postgres.Sql }
  /** nothing gets through to or from the third hub, and nobody is told */
  cut(): void
  /** everything goes on, with what was on its way */
  mend(): void
  /** HAProxy sends new connections to this hub; counted from 0 */
  untilUp(hub: number): Promise<void>
  /** as the document says: drain, stop, start (with another program if named), ready */
  restart(hub: number, script?: string): Promise<void>
}

/** @param options.script the program of hubs of an older version, which know no PROXY protocol */
export async function startBalanced(context: RowContext, options: { script?: string } = {}): Promise<BalancedHubs> {
  const database = await startDatabase(context)
  const port = Number(new URL(database.url).port)
  const relays: Relay[] = []
  const relay = async (to: number, from?: string) => {
    const made = await startRelay(from)
    made.to(to)
    relays.push(made)
    context.defer(() => made.close())
    return made.port
  }
  const url = new URL(database.url)
  const secret = { SECRET_KEY: 'k'.repeat(40) }
  const hubs: HubProcess[] = []
  for (let i = 0; i < HUBS; i++) {
    url.port = String(i === HUBS - 1 ? await relay(port) : port)
    const own = {
      DATABASE_URL: url.href,
      ...secret,
      TRUSTED_PROXIES: PROXY_ADDRESS,
      PROXY_PROTOCOL: options.script ? 'off' : 'on',
    }
    const hub = await hubProcess(context, own)
    if (options.script) hub.use(options.script)
    hubs.push(hub)
  }
  const ports = hubs.map(({ url, mqttUrl }) => ({ port: Number(new URL(url).port), mqttPort: Number(new URL(mqttUrl).port) }))
  const last = ports[HUBS - 1] as (typeof ports)[number]
  // their side of the third hub's network
  ports[HUBS - 1] = { port: await relay(last.port, PROXY_ADDRESS), mqttPort: await relay(last.mqttPort, PROXY_ADDRESS) }
  const haproxy = await prepareHaproxy(documentedFiles().ending, ports, {
    home: context.dir,
    isHeaderless: options.script !== undefined,
  })
  context.defer(() => haproxy.remove())
  const untilUp = async (hub: number) => {
    for (const backend of ['hubs', 'mqtt'])
      await until(`hub ${hub + 1} is up in ${backend}`, async () =>
        (await haproxy.statusOf(backend, `hub${hub + 1}`)).startsWith('UP'),
      )
  }
  // the first one migrates the empty database
  for (const hub of hubs) await hub.start()
  await haproxy.start()
  for (const i of hubs.keys()) await untilUp(i)
  return {
    hubs,
    haproxy,
    database,
    cut() {
      for (const one of relays) one.hold()
    },
    mend() {
      for (const one of relays) one.release()
    },
    untilUp,
    async restart(i, script) {
      const hub = hubs[i] as HubProcess
      const set = (state: string) =>
        haproxy.command(['hubs', 'mqtt'].map((backend) => `set server ${backend}/hub${i + 1} state ${state}`).join('; '))
      await set('drain')
      await hub.stop()
      if (script) hub.use(script)
      await hub.start()
      await set('ready')
      await untilUp(i)
    },
  }
}

/** Agents, programs, browsers and a machine that raises alarms, all through the balancer. */
export interface BalancedLoad {
  sending: Sender
  alarms: Alarms
  /** the longest time without a stored batch since the last call, of all senders together and of the agent that waited longest, in s */
  gaps(): { all: number; agent: number }
  /** how often streams connected */
  streamConnections(): number
  /** compares ledger and database; alerts, deliveries and streams too */
  finish(): Promise<Comparison>
}

export async function startLoad(context: RowContext, { hubs, haproxy, database }: BalancedHubs): Promise<BalancedLoad> {
  await checkDurability(database.owner)
  const [first] = hubs as [HubProcess]
  const tenant = await makeTenant(first.url, database.owner, { machines: AGENTS + 1, keys: 20 })
  const { tenantId, keys } = tenant
  const ca = haproxy.certificate
  // each box has an address of its own, which the hubs see
  const agentAt = (agentId: string, n: number) => {
    const tls = { ca, localAddress: `127.0.1.${n}` }
    return mqttTransport(haproxy.mqttsUrl, { tenantId, agentId, password: keys[0] as string, tls })
  }
  const alarms = await startAlarms(context, tenant, `m${AGENTS}`)
  const streams = Array.from({ length: STREAMS }, () => followAlerts(context, haproxy, tenant))
  await until('all streams are ready', () => streams.every(({ connections }) => connections() > 0))
  const machines = Array.from({ length: AGENTS }, (_, i) => `m${i}`)
  const ledger = openLedger(context)
  const next = countingSource(machines, { metrics: 2, size: 20 })
  const longest = new Array<number>(AGENTS).fill(0)
  const storedAt = new Array<number>(AGENTS).fill(performance.now())
  const agents = machines.map((_, i): Transport => {
    const transport = agentAt(`line-${i}`, i + 1)
    return {
      close: transport.close,
      send: async (batch) => {
        const result = await transport.send(batch)
        if (result.rejections) {
          longest[i] = Math.max(longest[i] as number, performance.now() - (storedAt[i] as number))
          storedAt[i] = performance.now()
        }
        return result
      },
    }
  })
  const programs = Array.from({ length: PROGRAMS }, () => httpTransport(haproxy.httpsUrl, keys, { ca }))
  const alarmAgent = agentAt('alarms', AGENTS + 1)
  const transports = [...agents, ...programs, alarmAgent]
  context.defer(() => Promise.all(transports.map((transport) => transport.close())))
  const options = { concurrency: 1, pauseMs: PAUSE_MS }
  const sending = startSender(context, ledger, tenantId, [...agents, ...programs], (i) => next(machines[i % AGENTS]), options)
  const alarming = startSender(context, ledger, tenantId, [alarmAgent], () => alarms.nextReadings(), {
    concurrency: 1,
    pauseMs: 100,
  })
  context.say('200 agents connect')
  await sending.untilAccepted(2 * AGENTS, 120_000)
  const gaps: BalancedLoad['gaps'] = () => {
    const now = performance.now()
    const agent = Math.max(...longest, ...storedAt.map((at) => now - at)) / 1_000
    longest.fill(0)
    storedAt.fill(now)
    return { all: sending.longestGapMs() / 1_000, agent }
  }
  gaps()
  return {
    sending,
    alarms,
    gaps,
    streamConnections: () => streams.reduce((sum, { connections }) => sum + connections(), 0),
    async finish() {
      context.say('waiting for the last answers')
      await Promise.all([sending.finish(), alarming.finish()])
      context.say('comparing')
      return asOwner(database.url, async (sql) => {
        const counts = await compare(ledger, sql)
        await alarms.verify(sql)
        const raised = await sql<{ id: string }[]>`select id from alerts where tenant_id = ${tenantId}`
        const lacking = () => Math.max(...streams.map(({ alerts }) => raised.filter(({ id }) => !alerts.has(id)).length))
        await until('every stream has every alert', () => lacking() === 0, STREAM_MS).catch((error) =>
          context.reportFailure(`${(error as Error).message}: one lacks ${lacking()} of ${raised.length}`),
        )
        return counts
      })
    },
  }
}

/** A stream as a browser reads it: it reconnects by itself, and continues behind the last event that it has. */
function followAlerts(context: RowContext, haproxy: Haproxy, { token }: Tenant) {
  const alerts = new Set<string>()
  let [lastId, connections, isOver] = ['', 0, false]
  let end = () => {}
  context.defer(() => {
    isOver = true
    end()
  })
  const open = () => {
    if (isOver) return
    const headers = { authorization: `Bearer ${token}`, ...(lastId ? { 'last-event-id': lastId } : {}) }
    let isDone = false
    const again = () => {
      if (isDone) return
      isDone = true
      setTimeout(open, 500)
    }
    const stream = request(
      `${haproxy.httpsUrl}/api/v1/stream?readings_of=none`,
      { ca: haproxy.certificate, agent: false, headers },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
          for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
            const fields = new Map(
              text
                .slice(0, at)
                .split('\n')
                .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
            )
            text = text.slice(at + 2)
            if (answer.statusCode !== 200) continue
            lastId = fields.get('id') ?? lastId
            const [name, data] = [fields.get('event'), JSON.parse(fields.get('data') || '{}')]
            if (name === 'alert') alerts.add(data.id)
            if (name === 'ready' && connections++ > 0 && !data.resumed) context.reportFailure('a stream could not be resumed')
            if (name === 'reset') context.reportFailure(`a stream was reset: ${data.of}`)
          }
        })
        answer.on('end', again).on('close', again).on('error', again)
      },
    )
    stream.setTimeout(30_000, () => stream.destroy())
    stream.on('error', again).on('close', again).end()
    end = () => stream.destroy()
  }
  open()
  return { alerts, connections: () => connections }
}
