import { languageOf } from '@haltless/protocol/languages'
import type { Priority, WorkMessageKind } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { FactsRow } from '../../alerting/alerts/index.ts'
import type { MailParams } from '../../mails/index.ts'
import { machinesOfGroup } from '../../plant/machine-groups/index.ts'
import { TITLE_FACTS, titleIn } from '../order-titles/index.ts'

/** A claimed message, its receiver, and what it is about: a work order, a maintenance event or a note. */
export interface WorkMessage {
  id: string
  tenantId: string
  kind: WorkMessageKind
  attempts: number
  userId: string
  email: string
  locale: string | null
  timeZone: string | null
  /** the browser that receives it; null: a mail */
  channelId: string | null
  sealedConfig: string | null
  /** null: a note about a group */
  machineId: string | null
  /** of a note the machine whose charts show it: of a group the first of its machines */
  chartMachineId: string | null
  /** of the machine or group */
  machineName: string
  /** of a note its text */
  title: string
  titleFacts: FactsRow | null
  workOrderId: string | null
  priority: Priority | null
  dueDate: Date | null
  eventId: string | null
  start: Date | null
  end: Date | null
  /** who wrote the note; null: it is no note */
  author: string | null
}

/** Loads messages for sending; those of deactivated users are not among them. */
export const loadMessages = (sql: Sql | TransactionSql, claimed: readonly { tenantId: string; id: string }[]) => sql<
  WorkMessage[]
>`
  select w.id, w.tenant_id as "tenantId", w.kind, w.attempts, u.id as "userId", u.email, u.locale, u.timezone as "timeZone",
    c.id as "channelId", c.sealed_config as "sealedConfig", m.id as "machineId", coalesce(n.machine_id, (
      select k.id from machines k
      where k.tenant_id = w.tenant_id and k.is_active and k.id in (${machinesOfGroup(sql, sql`w.tenant_id`, sql`n.group_id`)})
      order by k.name collate natural_order, k.id limit 1)) as "chartMachineId",
    coalesce(m.name, g.name) as "machineName",
    coalesce(o.title, e.title, n.body) as title,
    ${sql.unsafe(TITLE_FACTS)},
    o.id as "workOrderId", o.priority, o.due_date as "dueDate", e.id as "eventId", coalesce(e.scheduled_start, n.starts_at) as start,
    coalesce(e.scheduled_end, n.ends_at) as "end", n.author_name as author
  from unnest(${claimed.map(({ tenantId }) => tenantId)}::uuid[], ${claimed.map(({ id }) => id)}::uuid[]) one(tenant_id, id)
  join work_messages w on w.tenant_id = one.tenant_id and w.id = one.id
  join users u on u.tenant_id = w.tenant_id and u.id = w.user_id and u.is_active
  left join notification_channels c on c.tenant_id = w.tenant_id and c.id = w.channel_id
  left join work_orders o on o.tenant_id = w.tenant_id and o.id = w.work_order_id
  left join maintenance_events e on e.tenant_id = w.tenant_id and e.id = w.maintenance_event_id
  left join notes n on n.tenant_id = w.tenant_id and n.id = w.note_id
  left join machines m on m.tenant_id = w.tenant_id and m.id = coalesce(o.machine_id, e.machine_id, n.machine_id)
  left join machine_groups g on g.tenant_id = w.tenant_id and g.id = n.group_id
  order by w.created_at, w.id`

type Templates = 'work_order_assigned' | 'work_order_due' | 'maintenance_reminder' | 'note_mention'
/** The mail of a message. Its template is also the toggle that switches it off. */
export type WorkMail = { [T in Templates]: { template: T; params: MailParams[T] } }[Templates]

export function mailOf(message: WorkMessage, publicUrl: string): WorkMail {
  const { kind, machineName: machine } = message
  const title = titleIn(languageOf(message.locale), message)
  if (message.author !== null) {
    const params = {
      author: message.author,
      subject: machine,
      text: message.title,
      startAt: iso(message.start),
      url: noteUrl(message, publicUrl),
    }
    return { template: 'note_mention', params }
  }
  if (message.eventId !== null) {
    const [startAt, endAt] = [iso(message.start), iso(message.end)]
    const url = `${publicUrl}/maintenance/${message.eventId}`
    const isOverrun = kind === 'maintenance_overrun'
    return { template: 'maintenance_reminder', params: { title, machine, startAt, endAt, isOverrun, url } }
  }
  const order = {
    title,
    machine,
    priority: message.priority ?? 'medium',
    dueAt: message.dueDate && iso(message.dueDate),
    url: `${publicUrl}/work-orders/${message.workOrderId}`,
  }
  if (kind === 'work_order_assigned') return { template: kind, params: order }
  return { template: 'work_order_due', params: { ...order, isOverdue: kind === 'work_order_overdue' } }
}

const HOUR_MS = 3_600_000
/** The charts of a machine around the note; of a group without machines the list of groups. */
function noteUrl({ chartMachineId, start, end }: WorkMessage, publicUrl: string): string {
  if (chartMachineId === null) return `${publicUrl}/machines/groups`
  const [from, to] = [start?.getTime() ?? 0, (end ?? start)?.getTime() ?? 0]
  const query = new URLSearchParams({ from: new Date(from - HOUR_MS).toISOString(), to: new Date(to + HOUR_MS).toISOString() })
  return `${publicUrl}/machines/${chartMachineId}?${query}`
}

const iso = (at: Date | null): string => at?.toISOString() ?? ''
