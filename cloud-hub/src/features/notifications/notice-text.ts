import type { Notice } from './channel.ts'

/** What a person wants to know beside the message, in the order in which they want it; at most 10. */
export function facts(notice: Notice): [name: string, value: string][] {
  const { alert, machine, group } = notice
  if (group) {
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
    ...(alert ? ([['Measured', alert.triggeredAt.toISOString()]] as [string, string][]) : []),
  ]
}

/** What a test has opened is to be closed. */
export const isEndOfTest = ({ type, event }: Notice): boolean => type === 'test' && event === 'cleared'

/** Where the alert, or several, can be seen; null for a test. */
export const linkOf = ({ alert, group }: Notice, publicUrl: string): string | null =>
  alert && (group ? `${publicUrl}/alerts` : `${publicUrl}/alerts/${alert.id}`)

/** At most `max` characters, counted as people do; what was cut ends in `…`. */
export function clip(text: string, max: number): string {
  const characters = [...text]
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}

/** All of it as plain text, for tools that hold one long text. */
export function plainText(notice: Notice, publicUrl: string): string {
  const link = linkOf(notice, publicUrl)
  return [notice.message, '', ...facts(notice).map(([name, value]) => `${name}: ${value}`), ...(link ? ['', link] : [])].join(
    '\n',
  )
}

/** What is said in a ticket that is there already. */
export function commentText(notice: Notice, publicUrl: string): string {
  if (notice.event === 'raised') return plainText(notice, publicUrl)
  const what = notice.event === 'acknowledged' ? 'Acknowledged in Haltless' : 'Cleared: the condition has ended'
  return `${what}. (${notice.message})`
}
