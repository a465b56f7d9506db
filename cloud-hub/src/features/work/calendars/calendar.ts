import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import ical, { ICalEventStatus } from 'ical-generator'
import type { MaintenanceStatus } from '../../../db/enums.ts'
import type { Sql } from '../../../db/pools.ts'
import { foldLines } from './fold-lines.ts'

/** Past events that a calendar shows. */
const PAST_MS = 90 * 86_400_000
const MAX_EVENTS = 10_000
/** Characters of a description; the rest is behind the link. */
const DESCRIPTION_LENGTH = 1_000
/** Events that are written at a time: other requests come between, because a calendar may have megabytes. */
const PORTION = 50
/** How often calendars should read again. */
const REFRESH_SECONDS = 3_600
const END = 'END:VCALENDAR\r\n'

export interface CalendarEvent {
  id: string
  title: string
  description: string | null
  start: Date
  end: Date
  status: MaintenanceStatus
  sequence: number
  createdAt: Date
  updatedAt: Date
  machine: string
  location: string | null
}

/** The events that a calendar shows at an instant, earliest first. */
const shown = (allTenants: Sql, tenantId: string, now: Date) => allTenants`
  select e.id, e.title, case when length(e.description) > ${DESCRIPTION_LENGTH} then left(e.description, ${DESCRIPTION_LENGTH - 1}) || '…'
      else e.description end as description,
    e.scheduled_start as start, e.scheduled_end as "end", e.status, e.sequence, e.created_at as "createdAt", e.updated_at as "updatedAt",
    m.name as machine, m.location
  from maintenance_events e join machines m on m.tenant_id = e.tenant_id and m.id = e.machine_id
  where e.tenant_id = ${tenantId} and e.scheduled_end >= ${new Date(now.getTime() - PAST_MS)}
  order by e.scheduled_start, e.id limit ${MAX_EVENTS}`

/** Changes with all that a calendar shows, and costs a small part of writing one. */
export async function calendarTag(allTenants: Sql, tenantId: string, publicUrl: string, now: Date): Promise<string> {
  const [row] = await allTenants<{ version: string }[]>`
    select concat_ws(',', t.name, (
      select md5(string_agg(jsonb_build_array(id, sequence, extract(epoch from "updatedAt"), machine, location)::text, '' order by start, id))
      from (${shown(allTenants, tenantId, now)}) shown)) as version
    from tenants t where t.id = ${tenantId}`
  return createHash('sha256').update(`${publicUrl},${row?.version}`).digest('base64url').slice(0, 22)
}

/**
 * The maintenance of a tenant as iCalendar: what ended at most 90 days ago or is to come. Each occurrence of a series is an event of
 * its own, in UTC, so no reader has to compute recurrences or time zones. The same events give the same bytes.
 * Source: RFC 5545; RFC 7986 (NAME, REFRESH-INTERVAL)
 */
export async function calendarOf(allTenants: Sql, tenantId: string, publicUrl: string, now: Date): Promise<string> {
  const [tenant] = await allTenants<{ name: string }[]>`select name from tenants where id = ${tenantId}`
  const events = (await shown(allTenants, tenantId, now)) as unknown as CalendarEvent[]
  return writeCalendar(`Maintenance: ${tenant?.name ?? ''}`, events, publicUrl)
}

/** The text of a calendar, written in portions. */
export async function writeCalendar(name: string, events: readonly CalendarEvent[], publicUrl: string): Promise<string> {
  const head = portionOf(name, [], publicUrl).slice(0, -END.length)
  let text = head
  for (let i = 0; i < events.length; i += PORTION) {
    text += portionOf(name, events.slice(i, i + PORTION), publicUrl).slice(head.length, -END.length)
    await setImmediate()
  }
  return text + END
}

/** A calendar of these events only. */
function portionOf(name: string, events: readonly CalendarEvent[], publicUrl: string): string {
  const calendar = ical({
    name: printable(name),
    prodId: { company: 'Haltless', product: 'Hub', language: 'EN' },
    ttl: REFRESH_SECONDS,
  })
  for (const event of events)
    calendar.createEvent({
      id: `maintenance-${event.id}@haltless`,
      sequence: event.sequence,
      start: event.start,
      end: event.end,
      stamp: event.updatedAt,
      created: event.createdAt,
      lastModified: event.updatedAt,
      summary: printable(`${event.machine}: ${event.title}`),
      description: event.description ? { plain: printable(event.description) } : null,
      location: event.location === null ? null : printable(event.location),
      status: event.status === 'cancelled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      url: `${publicUrl}/maintenance/${event.id}`,
    })
  return foldLines(`${calendar.toString()}\r\n`)
}

/** RFC 5545 allows no control characters in texts, except for line breaks and tabs. */
const printable = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (character) => ('\n\t'.includes(character) ? character : ' '))
