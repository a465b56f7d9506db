import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Reading } from '@haltless/protocol'
import type postgres from 'postgres'
import { until } from '../test/processes.ts'
import type { RowContext } from './row.ts'
import type { Tenant } from './tenant.ts'

/** A machine whose values cross a threshold again and again, and a webhook receiver for its alerts. */
export interface Alarms {
  /** the next readings of the alarm machine: one critical reading, then two normal ones, and so on */
  nextReadings(): Reading[]
  /**
   * Reports a failure unless each crossing raised exactly one alert and each alert was delivered under one id. No webhook may
   * report an alert that was never committed. Deliveries under way at a kill are due again when their lease of a minute expires;
   * unless `isPatient` they are made due at once.
   */
  verify(owner: postgres.Sql, isPatient?: boolean): Promise<void>
  /** the number of crossings so far */
  crossings(): number
  /** deliveries that arrived more than once */
  repeatedDeliveries(): number
}

const RULE = { metric_name: 'pressure', warning_threshold: 50, critical_threshold: 100 }
const [BEYOND, BACK] = [120, 3]
/** Values differ by this, so that each is unique in its series. */
const STEP = 1e-6

/** @param answerMs how long the receiver takes to answer, so that a kill meets deliveries under way */
export async function startAlarms(context: RowContext, tenant: Tenant, machine: string, answerMs = 150): Promise<Alarms> {
  /** by alert: the `webhook-id` of every arrival */
  const arrived = new Map<string, string[]>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { alert_id } = JSON.parse(Buffer.concat(chunks).toString()) as { alert_id: string }
    arrived.set(alert_id, [...(arrived.get(alert_id) ?? []), String(request.headers['webhook-id'])])
    setTimeout(() => response.writeHead(204).end(), answerMs)
  })
  server.on('clientError', () => {})
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  context.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await tenant.call('POST', 'alert-rules', RULE)
  await tenant.call('POST', 'notification-channels', { name: 'alarms', channel_type: 'webhook', config: { url } })

  /** Finds webhooks that were sent before their alert committed: a kill may have undone that alert. */
  async function checkArrivals(owner: postgres.Sql): Promise<void> {
    const all = await owner<{ id: string }[]>`select id from alerts where tenant_id = ${tenant.tenantId}`
    const committed = new Set(all.map(({ id }) => id))
    const undone = [...arrived.keys()].filter((id) => !committed.has(id))
    if (undone.length > 0)
      context.reportFailure(`${undone.length} webhooks reported an alert that was never committed, such as ${undone[0]}`)
  }

  const crossings: number[] = []
  let [count, last, isBeyond] = [0, 0, false]
  const reading = (base: number): Reading => {
    last = Math.max(last + 1, Date.now() - 2)
    const value = base + ++count * STEP
    return { machine, metric: RULE.metric_name, unit: 'bar', rawTag: null, timestamp: last, value }
  }
  return {
    crossings: () => crossings.length,
    repeatedDeliveries: () => [...arrived.values()].filter((ids) => ids.length > 1).length,
    nextReadings() {
      isBeyond = !isBeyond
      if (!isBeyond) return [reading(BACK), reading(BACK)]
      const beyond = reading(BEYOND)
      crossings.push(beyond.value)
      return [beyond]
    },
    async verify(owner, isPatient = false) {
      if (crossings.length === 0) context.reportFailure('no threshold was crossed, so the run proves nothing about alerts')
      const alerts = await owner<{ id: string; value: number; severity: string }[]>`
        select id, trigger_value as value, severity from alerts where tenant_id = ${tenant.tenantId} and metric_name = ${RULE.metric_name}
        order by trigger_value`
      const [expected, found] = [crossings.join(), alerts.map(({ value }) => value).join()]
      if (expected !== found || alerts.some(({ severity }) => severity !== 'critical'))
        context.reportFailure(`${crossings.length} crossings raised ${alerts.length} alerts, or others than expected`)
      if (!isPatient) await owner`update deliveries set due_at = now() where status = 'waiting'`
      await until(
        'every alert is delivered',
        async () => {
          const [row] = await owner<{ n: number }[]>`
            select count(*)::int as n from deliveries where tenant_id = ${tenant.tenantId} and status = 'waiting'`
          return row?.n === 0
        },
        90_000,
      ).catch((error: Error) => context.reportFailure(error.message))
      const deliveries = await owner<{ id: string; alertId: string; status: string }[]>`
        select d.id, d.alert_id as "alertId", d.status from deliveries d join alerts a on a.tenant_id = d.tenant_id and a.id = d.alert_id
        where d.tenant_id = ${tenant.tenantId} and a.metric_name = ${RULE.metric_name}`
      await checkArrivals(owner)
      if (deliveries.length !== alerts.length)
        context.reportFailure(`${alerts.length} alerts have ${deliveries.length} deliveries`)
      for (const { id, alertId, status } of deliveries) {
        const ids = new Set(arrived.get(alertId))
        if (status !== 'delivered' || !ids.has(id) || ids.size !== 1)
          context.reportFailure(`the delivery ${id} is ${status} and arrived under ${[...ids].join(', ') || 'no id'}`)
      }
    },
  }
}
