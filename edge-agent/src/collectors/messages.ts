import type { Reading } from '@haltless/protocol'
import { type Fault, fault } from '@haltless/protocol/faults'
import type { BadTag } from './collector.ts'
import { suspectedInvalid, type Tag } from './tag.ts'

/** `2 of 30 tags cannot be read`; null when all can */
export const badTagFault = (bad: number, all: number): Fault | null =>
  bad === 0 ? null : fault('unreadable_tags', { count: bad, all })

/** The sentence of {@link badTagFault}, '' when all tags can be read. */
export const badTagSummary = (bad: number, all: number): string => badTagFault(bad, all)?.detail ?? ''

/** A value for a person: an integer whole, any other number with about seven digits. */
export function shownNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  return String(Number(Math.abs(value) < 1e5 ? value.toPrecision(7) : value.toFixed(2)))
}

/** One line per tag of a probe: its first value, or why there is none. A value that devices usually send in place of one has a warning. */
export function valueLines(tags: readonly Tag[], readings: readonly Reading[], badTags: readonly BadTag[]): string[] {
  const key = (tag: { rawTag: string | null; metric: string }) => `${tag.rawTag} ${tag.metric}`
  const said = new Map<string, string>()
  for (const tag of badTags) said.set(key(tag), tag.reason)
  const values = new Map(readings.map((reading) => [key(reading), reading.value]))
  const valueText = (value: number, tag: Tag): string => {
    const suspect = suspectedInvalid(value, tag)
    const warning = suspect === undefined ? '' : `; devices often send ${suspect} for no value: if so, set invalid: [${suspect}]`
    return `${shownNumber(value)} ${tag.unit}${warning}`
  }
  return tags.map((tag) => {
    const value = values.get(key(tag))
    return `${key(tag)}: ${value === undefined ? (said.get(key(tag)) ?? 'no value') : valueText(value, tag)}`
  })
}
