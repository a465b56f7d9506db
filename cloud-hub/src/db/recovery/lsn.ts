/** A position in the WAL, in bytes from its beginning. A number holds every position below 8 PiB exactly. */
export type Lsn = number

const HIGH = 0x1_0000_0000

/** @param text as PostgreSQL writes it, `16/B374D848` */
export function parseLsn(text: string): Lsn {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? []
  if (!high || !low) throw new Error(`${text} is no position in the WAL`)
  return Number.parseInt(high, 16) * HIGH + Number.parseInt(low, 16)
}

export const formatLsn = (lsn: Lsn): string =>
  `${Math.floor(lsn / HIGH).toString(16)}/${(lsn % HIGH).toString(16).padStart(8, '0')}`.toUpperCase()

const hex = (n: number) => n.toString(16).toUpperCase().padStart(8, '0')

/** The name of the file with the segment of this number. Source: PostgreSQL, xlog_internal.h (XLogFileName) */
export function segmentName(timeline: number, segment: number, segmentBytes: number): string {
  const perHigh = HIGH / segmentBytes
  return hex(timeline) + hex(Math.floor(segment / perHigh)) + hex(segment % perHigh)
}

/** The number of the segment in a file of this name. */
export function segmentNumber(name: string, segmentBytes: number): number {
  const [high, low] = [8, 16].map((at) => Number.parseInt(name.slice(at, at + 8), 16)) as [number, number]
  return high * (HIGH / segmentBytes) + low
}

export const historyName = (timeline: number): string => `${hex(timeline)}.history`

export const SEGMENT_NAME = /^[0-9A-F]{24}$/
export const HISTORY_NAME = /^[0-9A-F]{8}\.history$/
