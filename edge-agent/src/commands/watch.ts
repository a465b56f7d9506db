import { shownNumber } from '../collectors/messages.ts'
import type { Overview } from '../local/overview.ts'
import { alignColumns, formatCount, formatDuration } from './output.ts'

/** What the local page shows, for a terminal. @param lines that the terminal has; tags that do not fit are counted */
export function formatOverview(view: Overview, lines: number): string {
  const since = (at: number | null) => (at === null ? 'never' : `${formatDuration(view.now - at)} ago`)
  const ago = (ms: number | null) => (ms === null ? 'never' : `${formatDuration(ms)} ago`)
  const { hub, uplink, buffer } = view
  const head = alignColumns([
    ['agent', `${view.agent_id}, running for ${formatDuration(view.now - view.started_at)} (version ${view.version})`],
    ['hub', hub.detail || `${hub.url} answered ${since(hub.last_answer_at)}`],
    [
      'uplink',
      `${uplink.via ? `${uplink.state} over ${uplink.via}` : uplink.state}${uplink.detail ? `: ${uplink.detail}` : ''}, last receipt ${since(uplink.last_receipt_at)}`,
    ],
    ['buffer', bufferText(buffer)],
  ])
  const collectors = alignColumns(
    view.collectors.map(({ name, state, detail, last_read_ago_ms, readings, missed_polls, clock }) => [
      name,
      detail ? `${state}: ${detail}` : state,
      `last reading ${ago(last_read_ago_ms)}, ${formatCount(readings, 'reading')}${missed_polls > 0 ? `, ${formatCount(missed_polls, 'missed poll')}` : ''}${clock && `; ${clock}`}`,
    ]),
    '  ',
  )
  const present = view.errors.filter(({ until }) => until === null).length
  const errors = view.errors
    .slice(0, Math.max(3, present))
    .map(({ what, words, since: from, until }) => [what, `${since(from)}${until === null ? ', still' : ''}`, words])
  const parts = [
    head,
    ...(view.collectors.length > 0 ? [`devices\n${collectors}`] : ['no device is configured yet: add collectors to agent.yaml']),
  ]
  if (errors.length > 0) parts.push(`last errors\n${alignColumns(errors, '  ')}`)
  const rows = view.tags.map((tag) => [
    tag.machine ?? tag.collector,
    tag.metric,
    tag.value === null ? '-' : `${shownNumber(tag.value)} ${tag.unit}`,
    ago(tag.ago_ms),
    tag.fault ?? 'good',
  ])
  const room = Math.max(5, lines - parts.join('\n').split('\n').length - 3)
  const shown = rows.length > room ? rows.slice(0, room - 1) : rows
  const rest = rows.length - shown.length + view.tags_left_out
  if (rows.length > 0)
    parts.push(`tags\n${alignColumns(shown, '  ')}${rest > 0 ? `\n  and ${formatCount(rest, 'more tag')}` : ''}`)
  return parts.join('\n')
}

function bufferText({ readings, age_ms, used_bytes, capacity_bytes, full_in_hours, dropped, fault }: Overview['buffer']): string {
  const oldest = age_ms === null ? '' : `, the oldest for ${formatDuration(age_ms)}`
  const size = `${(used_bytes / 1_048_576).toFixed(1)} of ${(capacity_bytes / 1_048_576).toFixed(0)} MB`
  const full = full_in_hours === null ? '' : `, full in ${formatDuration(full_in_hours * 3_600_000)}`
  const lost = dropped > 0 ? `, ${formatCount(dropped, 'reading')} dropped` : ''
  return `${formatCount(readings, 'reading')}${oldest}, ${size}${full}${lost}${fault ? `; the disk accepts no write (${fault})` : ''}`
}
