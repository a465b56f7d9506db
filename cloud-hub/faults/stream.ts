import path from 'node:path'
import type postgres from 'postgres'
import { type Alarms, startAlarms } from './alarms.ts'
import { type Comparison, compare } from './compare.ts'
import { asOwner, checkDurability, embeddedDatabase, type HubProcess, hubProcess } from './hub-process.ts'
import { type Ledger, openLedger } from './ledger.ts'
import type { RowContext } from './row.ts'
import { countingSource, type Sender, startSender } from './sender.ts'
import { makeTenant, type Tenant } from './tenant.ts'
import { httpTransport, mqttTransport, type Transport } from './transports.ts'

/** The load of most rows: a tenant whose agents and programs send all the time, and a machine that raises alarms. */
export interface Stream {
  tenant: Tenant
  ledger: Ledger
  sending: Sender
  alarms: Alarms
  /** Begins no new batch, and waits for every answer. */
  drain(): Promise<void>
  /** Drains, compares ledger and database, and verifies alerts and deliveries. */
  finish(databaseUrl: string, isPatient?: boolean): Promise<Comparison>
}

export interface StreamOptions {
  agents?: number
  pauseMs?: number
  /** the transport of an agent; by default the hub's own broker with an API key */
  agentTransport?(tenant: Tenant, agentId: string): Transport
  httpUrls?: readonly string[]
  /** wraps each transport, for example to lose answers */
  wrap?(transport: Transport): Transport
  /** the ledger of another stream on the same database, so that one comparison covers both */
  ledger?: Ledger
}

const MACHINES = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']
const ALARM_MACHINE = 'm8'

/** Agents over MQTT, a program over HTTP, and an agent whose machine crosses a threshold again and again. */
export async function startStream(
  context: RowContext,
  hub: Pick<HubProcess, 'url' | 'mqttUrl'>,
  owner: postgres.Sql,
  options: StreamOptions = {},
): Promise<Stream> {
  await checkDurability(owner)
  const tenant = await makeTenant(hub.url, owner, { machines: MACHINES.length + 1, keys: 20 })
  const ledger = options.ledger ?? openLedger(context)
  const alarms = await startAlarms(context, tenant, ALARM_MACHINE)
  const { tenantId, keys } = tenant
  const agentTransport =
    options.agentTransport ?? ((_, agentId) => mqttTransport(hub.mqttUrl, { tenantId, agentId, password: keys[0] as string }))
  const wrap = options.wrap ?? ((transport: Transport) => transport)
  const agents = Array.from({ length: options.agents ?? context.fullOrShort(3, 2) }, (_, i) =>
    agentTransport(tenant, `line-${i}`),
  )
  const alarmAgent = wrap(agentTransport(tenant, 'alarms'))
  const programs = (options.httpUrls ?? [hub.url]).map((url) => httpTransport(url, keys))
  const transports = [...agents, ...programs].map(wrap)
  context.defer(() => Promise.all([alarmAgent, ...transports].map((transport) => transport.close())))
  const next = countingSource(MACHINES)
  const { pauseMs = 40 } = options
  const sending = startSender(context, ledger, tenantId, transports, () => next(), {
    pauseMs,
    concurrency: context.fullOrShort(2, 1),
  })
  const alarming = startSender(context, ledger, tenantId, [alarmAgent], () => alarms.nextReadings(), {
    concurrency: 1,
    pauseMs: 20,
  })
  const drain = async () => {
    context.say('waiting for the last answers')
    await Promise.all([sending.finish(), alarming.finish()])
  }
  return {
    tenant,
    ledger,
    sending,
    alarms,
    drain,
    async finish(databaseUrl, isPatient) {
      await drain()
      context.say('comparing')
      return asOwner(databaseUrl, async (sql) => {
        const counts = await compare(ledger, sql)
        await alarms.verify(sql, isPatient)
        return counts
      })
    },
  }
}

/** Starts the same load on a hub of its own, with embedded PostgreSQL and broker. */
export async function startHubAndStream(
  context: RowContext,
  options: Pick<StreamOptions, 'wrap' | 'pauseMs' | 'agents'> & {
    /** the hub's settings beside its addresses */
    env?: Record<string, string>
    agentTransport?(hub: HubProcess): StreamOptions['agentTransport']
  } = {},
) {
  const hub = await hubProcess(context, options.env)
  const dataDir = options.env?.DATA_DIR ?? path.join(context.dir, 'hub')
  const database = embeddedDatabase(dataDir)
  await hub.start()
  const { env: _, agentTransport, ...rest } = options
  const stream = await asOwner(database.url(), (sql) =>
    startStream(context, hub, sql, { ...rest, agentTransport: agentTransport?.(hub) }),
  )
  const owner = <T>(work: (sql: postgres.Sql) => Promise<T>) => asOwner(database.url(), work)
  return { hub, dataDir, database, owner, ...stream }
}
