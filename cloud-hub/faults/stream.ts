import path from 'node:path'
import type postgres from 'postgres'
import { type Alarms, startAlarms } from './alarms.ts'
import { type Comparison, compare } from './compare.ts'
import { asOwner, checkDurability, embeddedDatabase, type HubProcess, hubProcess } from './hub-process.ts'
import { type Ledger, openLedger } from './ledger.ts'
import type { RowContext } from './row.ts'
import { countingSource, type Sending, startSending } from './sender.ts'
import { makeTenant, type Tenant } from './tenant.ts'
import { httpWay, mqttWay, type Way } from './ways.ts'

/** What most rows break: a tenant whose agents and programs send all the time, and alarms among it. */
export interface Stream {
  tenant: Tenant
  ledger: Ledger
  sending: Sending
  alarms: Alarms
  /** Begins nothing new, and waits for every answer. */
  settle(): Promise<void>
  /** The same, then compares, and checks alerts and deliveries. */
  finish(databaseUrl: string, isPatient?: boolean): Promise<Comparison>
}

export interface StreamOptions {
  agents?: number
  pauseMs?: number
  /** how an agent reaches the broker; over the hub's own with an API key by default */
  agentWay?(tenant: Tenant, agentId: string): Way
  httpUrls?: readonly string[]
  /** what stands between the hub and every sender */
  between?(way: Way): Way
  /** that of another stream on the same database; all is compared at once */
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
  const agentWay = options.agentWay ?? ((_, agentId) => mqttWay(hub.mqttUrl, { tenantId, agentId, password: keys[0] as string }))
  const between = options.between ?? ((way: Way) => way)
  const agents = Array.from({ length: options.agents ?? context.times(3, 2) }, (_, i) => agentWay(tenant, `line-${i}`))
  const alarmAgent = between(agentWay(tenant, 'alarms'))
  const programs = (options.httpUrls ?? [hub.url]).map((url) => httpWay(url, keys))
  const ways = [...agents, ...programs].map(between)
  context.defer(() => Promise.all([alarmAgent, ...ways].map((way) => way.close())))
  const next = countingSource(MACHINES)
  const { pauseMs = 40 } = options
  const sending = startSending(context, ledger, tenantId, ways, () => next(), { pauseMs, lanes: context.times(2, 1) })
  const alarming = startSending(context, ledger, tenantId, [alarmAgent], () => alarms.next(), { lanes: 1, pauseMs: 20 })
  const settle = async () => {
    context.say('waiting for the last answers')
    await Promise.all([sending.finish(), alarming.finish()])
  }
  return {
    tenant,
    ledger,
    sending,
    alarms,
    settle,
    async finish(databaseUrl, isPatient) {
      await settle()
      context.say('comparing')
      return asOwner(databaseUrl, async (sql) => {
        const counts = await compare(ledger, sql)
        await alarms.check(sql, isPatient)
        return counts
      })
    },
  }
}

/** The same on a hub of its own, with its embedded PostgreSQL and broker. */
export async function startHubAndStream(
  context: RowContext,
  options: Pick<StreamOptions, 'between' | 'pauseMs' | 'agents'> & {
    /** the hub's settings beside its addresses */
    env?: Record<string, string>
    agentWay?(hub: HubProcess): StreamOptions['agentWay']
  } = {},
) {
  const hub = await hubProcess(context, options.env)
  const dataDir = options.env?.DATA_DIR ?? path.join(context.dir, 'hub')
  const database = embeddedDatabase(dataDir)
  await hub.start()
  const { env: _, agentWay, ...rest } = options
  const stream = await asOwner(database.url(), (sql) => startStream(context, hub, sql, { ...rest, agentWay: agentWay?.(hub) }))
  const owner = <T>(work: (sql: postgres.Sql) => Promise<T>) => asOwner(database.url(), work)
  return { hub, dataDir, database, owner, ...stream }
}
