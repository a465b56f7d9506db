import type { Reading } from '@haltless/protocol'
import type { BadTag } from './collector.ts'
import type { Tag } from './tag.ts'

/** `2 of 30 tags cannot be read`, '' when all can */
export function badTagSummary(bad: number, all: number): string {
  return bad === 0 ? '' : `${bad} of ${all} tags cannot be read`
}

/** One line per tag of a probe: its first value, or why there is none. */
export function valueLines(tags: readonly Tag[], readings: readonly Reading[], badTags: readonly BadTag[]): string[] {
  const key = (tag: { rawTag: string | null; metric: string }) => `${tag.rawTag} ${tag.metric}`
  const said = new Map<string, string>()
  for (const tag of badTags) said.set(key(tag), tag.reason)
  for (const reading of readings) said.set(key(reading), `${Number(reading.value.toPrecision(6))} ${reading.unit}`)
  return tags.map((tag) => `${key(tag)}: ${said.get(key(tag)) ?? 'no value'}`)
}
