import path from 'node:path'
import type postgres from 'postgres'
import { until } from '../../test/processes.ts'
import { type Comparison, EMPTY_COMPARISON } from '../compare.ts'
import { type Arrival, KINDS, type Kind, type Receivers, startReceivers } from '../delivery-receivers.ts'
import { asOwner, checkDurability, embeddedDatabase, hubProcess } from '../hub-process.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { makeTenant } from '../tenant.ts'
import { httpTransport, type Transport } from '../transports.ts'

const RULE = { metric_name: 'pressure', warning_threshold: 50, critical_threshold: 100 }
/** A human-facing channel sends three messages at once, so with a fourth alert a kill meets a digest that is being collected. */
const MACHINES = ['m0', 'm1', 'm2', 'm3']
const FOLLOWING: readonly Kind[] = ['incident_a', 'ticketing_b']

interface Row {
  id: string
  kind: Kind
  event: 'raised' | 'acknowledged' | 'cleared'
  status: string
  subject: string | null
  leadId: string | null
  alertId: string
  message: string
}

/**
 * Tells whether this arrival carries that delivery. `told` are the deliveries that the message covers: one, or those of a digest.
 */
const isArrivalOf: Record<Kind, (arrival: Arrival, row: Row, told: readonly Row[]) => boolean> = {
  webhook: ({ key, text }, row) => key === row.id && JSON.parse(text).alert_id === row.alertId,
  incident_a: ({ key }, row) => key === `${row.event === 'raised' ? 'trigger' : 'resolve'} ${row.alertId}`,
  ticketing_b: ({ key, text }, row) =>
    key === row.subject && text.includes(row.message) && text.startsWith('Cleared') === (row.event === 'cleared'),
  chat_a: ({ text }, _row, told) =>
    told.every(({ message }) => text.includes(message)) && text.includes(`${told.length} alerts: `) === told.length > 1,
  email: ({ key, text }, row, told) => key === `<${row.id}@haltless>` && text.includes('alerts: ') === told.length > 1,
  push: ({ key }, row) => key === row.id.replaceAll('-', ''),
}

/** Compares deliveries with arrivals; in this row the numbers of the table count deliveries. */
async function compareDeliveries(
  context: RowContext,
  owner: postgres.Sql,
  receivers: Receivers,
  crossings: number,
): Promise<{ counts: Comparison; repeated: number }> {
  const rows = await owner<Row[]>`
    select d.id, c.channel_type as kind, d.event, d.status, d.subject, d.lead_id as "leadId", d.alert_id as "alertId", a.message
    from deliveries d join notification_channels c on c.tenant_id = d.tenant_id and c.id = d.channel_id
    join alerts a on a.tenant_id = d.tenant_id and a.id = d.alert_id order by d.id`
  const counts = { ...EMPTY_COMPARISON, readings: rows.length, examples: [] as string[] }
  const example = (text: string) => counts.examples.length < 5 && counts.examples.push(text)
  const expected = crossings * (KINDS.length + FOLLOWING.length)
  if (rows.length !== expected) context.reportFailure(`${crossings} crossings have ${rows.length} deliveries, not ${expected}`)
  counts.doubled = rows.length - new Set(rows.map(({ kind, event, alertId }) => `${kind} ${event} ${alertId}`)).size
  for (const [key, made] of receivers.tickets) {
    if (made === 1) continue
    counts.doubled += made - 1
    example(`doubled: the ticket ${key} was created ${made} times`)
  }
  const leads = rows.filter(({ leadId }) => leadId === null)
  const known = new Set<Arrival>()
  for (const lead of leads) {
    const told = rows.filter(({ id, leadId }) => id === lead.id || leadId === lead.id)
    const arrived = receivers.arrivals.filter(
      (arrival) => arrival.kind === lead.kind && isArrivalOf[lead.kind](arrival, lead, told),
    )
    for (const arrival of arrived) known.add(arrival)
    if (!arrived.some(({ isAnswered }) => isAnswered)) {
      counts.lost += told.length
      example(`lost: ${lead.kind}, ${lead.event}: ${lead.message}`)
    }
    for (const { id, status } of told.filter(({ status }) => status !== 'delivered'))
      context.reportFailure(`the delivery ${id} (${lead.kind}) is ${status}`)
  }
  for (const arrival of receivers.arrivals.filter((one) => !known.has(one))) {
    counts.invented++
    example(`invented: ${arrival.kind} ${arrival.key}: ${arrival.text.slice(0, 200)}`)
  }
  const actions = receivers.arrivals.filter(({ kind }) => kind === 'incident_a').map(({ key }) => key)
  for (const id of new Set(actions.map((action) => action.split(' ')[1])))
    if (actions.lastIndexOf(`trigger ${id}`) > actions.indexOf(`resolve ${id}`) && actions.includes(`resolve ${id}`))
      context.reportFailure(`the incident ${id} was opened again after its end`)
  return { counts, repeated: receivers.arrivals.length - leads.length }
}

export const hubDeliver: FaultRow = {
  name: 'hub.deliver',
  area: 'hub',
  what: 'kill -9 of the hub while deliveries to all kinds of channels are sent and not yet recorded',
  async run(context) {
    const receivers = await startReceivers(context, 100)
    const hub = await hubProcess(context, { SMTP_URL: receivers.smtpUrl })
    const database = embeddedDatabase(path.join(context.dir, 'hub'))
    await hub.start()
    const tenant = await asOwner(database.url(), async (sql) => {
      await checkDurability(sql)
      return makeTenant(hub.url, sql, { machines: MACHINES.length, keys: 2 })
    })
    await tenant.call('POST', 'alert-rules', RULE)
    await receivers.subscribe(tenant)
    const transport = httpTransport(hub.url, tenant.keys)
    context.defer(() => transport.close())

    const { arrivals } = receivers
    let [crossings, kills, sentUnrecorded] = [0, 0, 0]
    /**
     * Sends, kills the hub when `met` have arrived or after a moment, restarts it, and waits until nothing is left to deliver.
     */
    async function round(values: () => number[], met: readonly Kind[] | null, isPatient: boolean) {
      const before = arrivals.length
      if (met) receivers.hold()
      await sendAll(transport, values)
      if (met)
        await until(
          `${met.join(', ')} have arrived`,
          () => met.every((kind) => arrivals.slice(before).some((one) => one.kind === kind)),
          30_000,
        )
      await context.sleep(context.random.between(0, met ? 50 : 250))
      sentUnrecorded += met ? arrivals.length - before : 0
      await hub.kill()
      kills++
      receivers.release()
      await hub.start()
      await asOwner(database.url(), (sql) => drain(sql, isPatient)).catch((error: Error) => context.reportFailure(error.message))
    }
    const cross = () => {
      crossings++
      return [100 + crossings]
    }
    const rounds = context.fullOrShort(4, 1)
    for (let i = 1; i <= rounds; i++) {
      const isPatient = !context.short && i === 1
      context.say(`round ${i} of ${rounds}: alerts are raised${isPatient ? ', leases of a minute expire' : ''}`)
      await round(cross, KINDS, isPatient)
      context.say(`round ${i} of ${rounds}: alerts clear`)
      await round(() => [3, 2], FOLLOWING, false)
    }
    for (let i = 1; i <= context.fullOrShort(6, 1); i++) {
      context.say(`kill ${kills + 1}, at any moment`)
      await round(i % 2 === 1 ? cross : () => [3, 2], null, false)
    }
    if (context.short) await round(() => [3, 2], null, false)
    context.say('comparing')
    const { counts, repeated } = await asOwner(database.url(), (sql) => compareDeliveries(context, sql, receivers, crossings))
    await hub.stop()
    return {
      counts,
      note: `deliveries; ${kills} kills met ${sentUnrecorded} sent, unrecorded deliveries; ${repeated} messages arrived again`,
    }
  },
}

/** Sends readings of every machine, in order, and repeats them until the hub accepts them. */
async function sendAll(transport: Transport, values: () => number[]): Promise<void> {
  const at = Date.now() - 1_000
  const readings = MACHINES.flatMap((machine) =>
    values().map((value, i) => ({ machine, metric: RULE.metric_name, unit: 'bar', rawTag: null, timestamp: at + i, value })),
  )
  await until('the readings are stored', async () => (await transport.send({ id: String(at), readings })).rejections, 20_000)
}

/** Waits until nothing is left to deliver. Unless patient, it ends leases and digest spans that the kill left behind. */
async function drain(owner: postgres.Sql, isPatient: boolean): Promise<void> {
  if (!isPatient) await owner`update deliveries set due_at = now() where status = 'waiting'`
  await until(
    'every delivery is made',
    async () => {
      if (!isPatient) {
        await owner`update delivery_windows set until = now() where until > now()`
        await owner`update deliveries set due_at = now() where status = 'pending_digest' and due_at > now()`
      }
      const [row] = await owner<{ n: number }[]>`
        select count(*)::int as n from deliveries where status in ('pending_digest', 'in_digest', 'waiting')`
      return row?.n === 0
    },
    120_000,
  )
}
