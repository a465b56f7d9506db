import { withoutDirections } from '../../../support/direction.ts'
import type { Notice } from './channel.ts'

/**
 * The fields of a message, most important first; at most 10, each on one line.
 * @param timeZone of the reader, an IANA name; absent: times are ISO 8601 in UTC
 */
export const messageFields = (notice: Notice, timeZone?: string): [name: string, value: string][] =>
  fieldsOf(notice, timeZone).map(([name, value]) => [name, oneLine(value)])

function fieldsOf(notice: Notice, timeZone: string | undefined): [name: string, value: string][] {
  const { alert, machine, group } = notice
  if (group) {
    if (group.total === 0) return [['Open', 'none of these alerts']]
    const more = group.total - group.shown.length
    return [
      ...group.shown.map(({ severity, message }) => [severity.toUpperCase(), message] as [string, string]),
      ...(more > 0 ? ([['More', `${more} further alerts`]] as [string, string][]) : []),
    ]
  }
  const unit = alert ? ` ${alert.unit}` : ''
  return [
    ...(machine ? ([['Machine', `${machine.name} (${machine.identifier})`]] as [string, string][]) : []),
    ...(machine?.location ? ([['Location', machine.location]] as [string, string][]) : []),
    ['Metric', notice.metricName],
    ['Value', `${notice.triggerValue}${unit}`],
    ['Threshold', `${notice.thresholdValue}${unit}`],
    ...(alert ? ([['Measured', instant(alert.triggeredAt, timeZone)]] as [string, string][]) : []),
  ]
}

/** ISO 8601 in UTC, or `22 Nov 2026, 11:02:03` in a time zone. */
const instant = (at: Date, timeZone: string | undefined): string =>
  timeZone === undefined
    ? at.toISOString()
    : new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(at)

/** True when this message closes the incident or ticket that a test opened. */
export const isEndOfTest = ({ type, event }: Notice): boolean => type === 'test' && event === 'cleared'

/** The URL that shows the alert, or the list of alerts for a digest; null for a test. */
export const alertLink = ({ alert, group }: Notice, publicUrl: string): string | null =>
  alert && (group ? `${publicUrl}/alerts` : `${publicUrl}/alerts/${alert.id}`)

/** Puts text on one line and removes control and bidirectional formatting characters, which names may contain. */
export const oneLine = (text: string): string =>
  withoutDirections(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()

/** Truncates to `max` UTF-16 code units, which no tool counts as more. Truncated text ends in `…`; no character is split. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  let kept = ''
  for (const character of text) {
    if (kept.length + character.length + 1 > max) break
    kept += character
  }
  return `${kept}…`
}

/** Puts text on one line and truncates it. */
export const truncateLine = (text: string, max: number): string => truncate(oneLine(text), max)

/** The whole message as plain text, at most 3,600 code units, for tools with one long text field. */
export function plainText(notice: Notice, publicUrl: string): string {
  const link = alertLink(notice, publicUrl)
  return [
    truncateLine(notice.message, 1_000),
    '',
    ...messageFields(notice).map(([name, value]) => `${name}: ${truncateLine(value, 500)}`),
    ...(link ? ['', link] : []),
  ].join('\n')
}

/** The comment on a ticket that is already open. */
export function commentText(notice: Notice, publicUrl: string): string {
  if (notice.event === 'raised') return plainText(notice, publicUrl)
  const what = notice.event === 'acknowledged' ? 'Acknowledged in Haltless' : 'Cleared: the condition has ended'
  return `${what}. (${truncateLine(notice.message, 1_000)})`
}
