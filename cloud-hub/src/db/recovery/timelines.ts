import { historyName, type Lsn, parseLsn, segmentName, segmentNumber } from './lsn.ts'
import type { WalSource } from './wal-source.ts'

/** A part of the history of a cluster: the WAL that one timeline wrote, up to the position where the next one left it. */
export interface TimelineSpan {
  timeline: number
  from: Lsn
  /** Infinity for the newest one */
  until: Lsn
}

/** Lines of parent, position where it was left, and reason. Source: PostgreSQL, timeline.c (readTimeLineHistory) */
export function parseHistory(text: string, timeline: number): TimelineSpan[] {
  const spans: TimelineSpan[] = []
  let from = 0
  for (const line of text.split('\n')) {
    const [, parent, until] = /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/i.exec(line) ?? []
    if (!parent || !until) continue
    spans.push({ timeline: Number(parent), from, until: parseLsn(until) })
    from = parseLsn(until)
  }
  return [...spans, { timeline, from, until: Number.POSITIVE_INFINITY }]
}

/** @throws Error when the file of its history is missing */
export async function readHistory(source: WalSource, timeline: number): Promise<TimelineSpan[]> {
  if (timeline === 1) return parseHistory('', 1)
  const bytes = await source.read(historyName(timeline))
  if (!bytes) throw new Error(`the history of timeline ${timeline} (${historyName(timeline)}) is missing`)
  return parseHistory(bytes.toString(), timeline)
}

/** The timelines that wrote into the segment of this number, the newest first. */
const timelinesOf = (spans: readonly TimelineSpan[], segment: number, segmentBytes: number): number[] =>
  spans
    .filter(({ from, until }) => Math.floor(from / segmentBytes) <= segment && until > segment * segmentBytes)
    .toReversed()
    .map(({ timeline }) => timeline)

/** The names that the segment of this number may have, the best first: where a timeline begins, its file has the end of the older one too. */
export const segmentNames = (spans: readonly TimelineSpan[], segment: number, segmentBytes: number): string[] =>
  timelinesOf(spans, segment, segmentBytes).map((timeline) => segmentName(timeline, segment, segmentBytes))

/** Whether a segment belongs to the history, and comes after the one of this number. */
export function isLaterSegment(name: string, spans: readonly TimelineSpan[], segment: number, segmentBytes: number): boolean {
  const number = segmentNumber(name, segmentBytes)
  return number > segment && timelinesOf(spans, number, segmentBytes).includes(Number.parseInt(name.slice(0, 8), 16))
}
