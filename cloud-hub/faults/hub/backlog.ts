import type { Reading } from '@haltless/protocol'
import type postgres from 'postgres'
import type { Random } from '../random.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { startSender } from '../sender.ts'
import { startHubAndStream } from '../stream.ts'
import { httpTransport, mqttTransport } from '../transports.ts'

const RULE = { metric_name: 'load', warning_threshold: 50, critical_threshold: 100 }
const [NORMAL, WARNING, CRITICAL] = [20, 60, 120]
/** Values differ by this, so that each is unique in its series and an alert identifies its reading. */
const STEP = 1e-6
const HOUR = 3_600_000
const BATCH = 200
/** One round of the loop below adds at most so many readings: 60 normal ones, an excursion of 40 with a normal one after each, two at its end. */
const LONGEST_ROUND = 142

/**
 * The alerts that an excursion beyond a threshold must raise: one per level, in this order. `from` and `to` number its readings.
 */
interface Excursion {
  from: number
  to: number
  levels: ('warning' | 'critical')[]
}

/**
 * Generates a day of readings with excursions of all lengths. Some contain a single normal reading, which ends nothing.
 * @param isMixed levels change within an excursion; otherwise each keeps its level, and the order of arrival makes no difference
 */
function dayWithExcursions(
  random: Random,
  machine: string,
  stepMs: number,
  isMixed: boolean,
): { readings: Reading[]; excursions: Excursion[] } {
  // the last round must end within the day too, before the alerts of the present begin
  const count = Math.floor((24 * HOUR) / stepMs) - LONGEST_ROUND
  const start = Date.now() - 25 * HOUR
  const bases: number[] = []
  const excursions: Excursion[] = []
  while (bases.length < count) {
    for (let i = random.whole(2, 60); i > 0; i--) bases.push(NORMAL)
    const [from, main] = [bases.length, random.pick([WARNING, CRITICAL])]
    const levels: Excursion['levels'] = []
    for (let i = random.whole(1, 40); i > 0; i--) {
      const base = isMixed ? random.pick([WARNING, WARNING, WARNING, CRITICAL]) : main
      const level = base === WARNING ? 'warning' : 'critical'
      if (!levels.includes(level) && !levels.includes('critical')) levels.push(level)
      bases.push(base)
      if (i > 1 && random.uniform() < 0.1) bases.push(NORMAL)
    }
    excursions.push({ from, to: bases.length - 1, levels })
    bases.push(NORMAL, NORMAL)
  }
  const readings = bases.map((base, n) => ({
    machine,
    metric: RULE.metric_name,
    unit: 'percent',
    rawTag: null,
    timestamp: start + n * stepMs,
    value: base + n * STEP,
  }))
  return { readings, excursions }
}

interface Plan {
  machine: string
  how: string
  isMixed: boolean
  /** the value that the machine reports before its backlog arrives; null: nothing */
  newer: number | null
  /** batches in flight */
  concurrency: number
  isShuffled: boolean
}

/**
 * Reports a failure unless the machine's alerts are exactly those of its excursions, all late, cleared and without deliveries.
 */
async function checkAlerts(
  context: RowContext,
  owner: postgres.Sql,
  machine: string,
  how: string,
  excursions: readonly Excursion[],
) {
  const alerts = await owner<
    { value: number; severity: string; isTooOldToNotify: boolean; isOver: boolean; deliveries: number }[]
  >`
    select a.trigger_value as value, a.severity, a.is_too_old_to_notify as "isTooOldToNotify", a.cleared_at is not null as "isOver",
      (select count(*)::int from deliveries d where d.tenant_id = a.tenant_id and d.alert_id = a.id) as deliveries
    from alerts a join machines m on m.tenant_id = a.tenant_id and m.id = a.machine_id
    where m.machine_identifier = ${machine} and a.metric_name = ${RULE.metric_name} and a.triggered_at < ${new Date(Date.now() - HOUR / 2)}`
  const raised = new Map<string, number>()
  for (const { value, severity } of alerts) {
    const base = [NORMAL, WARNING, CRITICAL].findLast((b) => value >= b) as number
    const n = Math.round((value - base) / STEP)
    const of = excursions.findIndex(({ from, to }) => n >= from && n <= to)
    raised.set(`${of} ${severity}`, (raised.get(`${of} ${severity}`) ?? 0) + 1)
  }
  const expected = excursions.flatMap(({ levels }, i) => levels.map((level) => `${i} ${level}`))
  const missing = expected.filter((name) => !raised.has(name)).length
  const surplus = [...raised].reduce((sum, [name, n]) => sum + n - (expected.includes(name) ? 1 : 0), 0)
  if (missing + surplus > 0)
    context.reportFailure(`${how}: of ${expected.length} alerts expected ${missing} are missing, and ${surplus} are surplus`)
  const punctual = alerts.filter(({ isTooOldToNotify }) => !isTooOldToNotify).length
  const paging = alerts.filter(({ deliveries }) => deliveries > 0).length
  const standing = alerts.filter(({ isOver }) => !isOver).length
  if (punctual + paging + standing > 0)
    context.reportFailure(
      `${how}: ${punctual} alerts are not marked late, ${paging} have deliveries, ${standing} are still active`,
    )
  return alerts.length
}

export const backlogAlerts: FaultRow = {
  name: 'backlog.alerts',
  area: 'hub',
  what: '24 hours of readings across a threshold arrive at once: in order, out of order, and behind newer readings',
  async run(context) {
    const { hub, database, tenant, ledger, alarms, finish, owner } = await startHubAndStream(context, { agents: 1 })
    await tenant.call('POST', 'alert-rules', RULE)
    const stepMs = context.fullOrShort(5_000, 60_000)
    const { tenantId, keys } = tenant
    const agents = ['a', 'b', 'c'].map((agentId) =>
      mqttTransport(hub.mqttUrl, { tenantId, agentId, password: keys[0] as string }),
    )
    const transports = [...agents, httpTransport(hub.url, keys)]
    context.defer(() => Promise.all(transports.map((transport) => transport.close())))
    const plans: Plan[] = [
      { machine: 'm0', how: 'in order, nothing newer', isMixed: true, newer: null, concurrency: 1, isShuffled: false },
      { machine: 'm1', how: 'in order, behind newer readings', isMixed: true, newer: NORMAL, concurrency: 1, isShuffled: false },
      {
        machine: 'm2',
        how: 'in flight at once, behind newer readings',
        isMixed: false,
        newer: NORMAL,
        concurrency: 4,
        isShuffled: false,
      },
      {
        machine: 'm3',
        how: 'in any order, behind newer readings',
        isMixed: false,
        newer: NORMAL,
        concurrency: 4,
        isShuffled: true,
      },
      { machine: 'm4', how: 'while a newer alert is active', isMixed: true, newer: CRITICAL, concurrency: 4, isShuffled: true },
    ]
    const done = await Promise.all(
      plans.map(async (plan) => {
        const { readings, excursions } = dayWithExcursions(context.random, plan.machine, stepMs, plan.isMixed)
        const batches: Reading[][] = []
        for (let i = 0; i < readings.length; i += BATCH) batches.push(readings.slice(i, i + BATCH))
        const queue = plan.isShuffled ? context.random.shuffle(batches) : batches
        if (plan.newer !== null) {
          const value = plan.newer - 1
          const newer = [0, 1].map((i) => ({ ...(readings[0] as Reading), timestamp: Date.now() - 2 + i, value: value - i }))
          const first = startSender(context, ledger, tenantId, [transports[0] as (typeof transports)[number]], once(newer), {
            concurrency: 1,
          })
          await first.untilAccepted(1)
        }
        const senders = plan.concurrency === 1 ? [transports[1] as (typeof transports)[number]] : transports
        const sending = startSender(context, ledger, tenantId, senders, () => queue.shift() ?? null, {
          concurrency: Math.ceil(plan.concurrency / senders.length),
        })
        await sending.untilAccepted(batches.length, 200_000)
        return { ...plan, excursions: plan.newer === CRITICAL ? [] : excursions }
      }),
    )
    const counts = await finish(database.url())
    let alerts = 0
    await owner(async (sql) => {
      for (const { machine, how, excursions } of done) alerts += await checkAlerts(context, sql, machine, how, excursions)
    })
    await hub.stop()
    return { counts, note: `${alerts} late alerts; ${alarms.crossings()} alerts on time` }
  },
}

function once(readings: Reading[]): () => Reading[] | null {
  let left: Reading[] | null = readings
  return () => {
    const now = left
    left = null
    return now
  }
}
