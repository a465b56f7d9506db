import type { Reading } from '@haltless/protocol'
import type { BadTag } from './collector.ts'
import type { Tag } from './tag.ts'

/** Codes of the operating system, as the operator should read them. Anything else keeps its own message. */
const WORDS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the other side',
  EPIPE: 'connection closed by the other side',
  ETIMEDOUT: 'no answer to the connection attempt',
  EHOSTUNREACH: 'host unreachable',
  EHOSTDOWN: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENETDOWN: 'network down',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'host name cannot be resolved now',
  EADDRNOTAVAIL: 'address not available',
  EACCES: 'permission denied',
  ENOSPC: 'disk full',
}

/** What went wrong, in words for an operator and on one line. */
export function plainWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  if (code && WORDS[code]) return WORDS[code]
  // Libraries wrap the system's errors and keep only their text
  for (const [name] of error.message.matchAll(/\bE[A-Z_]{3,}\b/g)) if (WORDS[name]) return WORDS[name]
  return error.message.replace(/\s+/g, ' ').trim() || error.name
}

/** `2 of 30 tags cannot be read`, '' when all can */
export function badTagSummary(bad: number, all: number): string {
  return bad === 0 ? '' : `${bad} of ${all} tags cannot be read`
}

/** What a probe says of each tag: its first value, or why there is none. */
export function valueLines(tags: readonly Tag[], readings: readonly Reading[], badTags: readonly BadTag[]): string[] {
  const key = (tag: { rawTag: string | null; metric: string }) => `${tag.rawTag} ${tag.metric}`
  const said = new Map<string, string>()
  for (const tag of badTags) said.set(key(tag), tag.reason)
  for (const reading of readings) said.set(key(reading), `${reading.value} ${reading.unit}`)
  return tags.map((tag) => `${key(tag)}: ${said.get(key(tag)) ?? 'no value'}`)
}
