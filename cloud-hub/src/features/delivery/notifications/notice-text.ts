import type { Notice } from './channel.ts'

/**
 * What a person wants to know beside the message, in the order in which they want it; at most 10, each on one line.
 * @param timeZone of the reader, an IANA name; absent: times are ISO 8601 in UTC
 */
export const facts = (notice: Notice, timeZone?: string): [name: string, value: string][] =>
  factsOf(notice, timeZone).map(([name, value]) => [name, oneLine(value)])

function factsOf(notice: Notice, timeZone: string | undefined): [name: string, value: string][] {
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

/** What a test has opened is to be closed. */
export const isEndOfTest = ({ type, event }: Notice): boolean => type === 'test' && event === 'cleared'

/** Where the alert, or several, can be seen; null for a test. */
export const linkOf = ({ alert, group }: Notice, publicUrl: string): string | null =>
  alert && (group ? `${publicUrl}/alerts` : `${publicUrl}/alerts/${alert.id}`)

/** On one line, without control characters and without those that turn the direction of what follows: names may hold any. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()

/** At most `max` UTF-16 code units, which no tool counts as more; what was cut ends in `…`, and no character is cut in two. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  let kept = ''
  for (const character of text) {
    if (kept.length + character.length + 1 > max) break
    kept += character
  }
  return `${kept}…`
}

/** The same on one line. */
export const clip = (text: string, max: number): string => cut(oneLine(text), max)

/** All of it as plain text, at most 3,600 code units, for tools that hold one long text. */
export function plainText(notice: Notice, publicUrl: string): string {
  const link = linkOf(notice, publicUrl)
  return [
    clip(notice.message, 1_000),
    '',
    ...facts(notice).map(([name, value]) => `${name}: ${clip(value, 500)}`),
    ...(link ? ['', link] : []),
  ].join('\n')
}

/** What is said in a ticket that is there already. */
export function commentText(notice: Notice, publicUrl: string): string {
  if (notice.event === 'raised') return plainText(notice, publicUrl)
  const what = notice.event === 'acknowledged' ? 'Acknowledged in Haltless' : 'Cleared: the condition has ended'
  return `${what}. (${clip(notice.message, 1_000)})`
}
