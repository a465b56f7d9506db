import type { Expression } from '../../src/db/tables/composite-rules.ts'
import type { Sample } from '../../src/features/alerting/evaluation/composite/evaluate.ts'

/** Mulberry32: the same seed, the same numbers. */
export function randomFrom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  const one = <T>(values: readonly T[]) => values[below(values.length)] as T
  return { next, below, one }
}
export type Random = ReturnType<typeof randomFrom>

/** A rule over some metrics whose durations are shorter than `maxSeconds`. */
export const randomRule = ({ next, below, one }: Random, metrics: readonly string[], maxSeconds: number): Expression => ({
  operator: one(['AND', 'OR']),
  conditions: Array.from({ length: 1 + below(4) }, () => ({
    metric: one(metrics),
    op: one(['>', '<']),
    value: 5,
    ...(next() < 0.4 && { duration_seconds: below(maxSeconds) }),
  })),
})

/** Instants of all metrics or of some, the first one of all: from then on it is known who reports with whom. */
export function randomInstants({ next, below }: Random, metrics: readonly string[]): Sample[][] {
  let timestamp = 0
  return Array.from({ length: 14 }, (_, i) => {
    timestamp += 1_000 * (1 + below(3))
    const read = metrics.filter(() => i === 0 || next() < 0.7)
    return read.map((metric) => ({ metric, unit: 'u', timestamp, value: below(10) }))
  })
}
