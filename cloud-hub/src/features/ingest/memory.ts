import type { Asked, FlushSeries } from './look-up.ts'

/** A lone batch gains a round trip; one of many series would gain little and have much confirmed. */
const MOST_SERIES = 32
/** About half a kilobyte each. */
const REMEMBERED = 20_000

/**
 * What this process last learned of a series and of the rules that concern it. Never believed: a flush that uses it has the database confirm it
 * in the same transaction, and asks anew when it does not hold.
 */
export function flushMemory() {
  const remembered = new Map<string, FlushSeries>()
  return {
    /** Null unless all that is asked is remembered. */
    recall({ series }: Asked): FlushSeries[] | null {
      if (series.size > MOST_SERIES) return null
      const found: FlushSeries[] = []
      for (const name of series.keys()) {
        const one = remembered.get(name)
        if (!one) return null
        found.push(one)
      }
      return found
    },

    /** After a commit, by place. */
    keep({ series }: Asked, learned: readonly (FlushSeries | null)[]): void {
      if (series.size > MOST_SERIES) return
      let place = 0
      for (const name of series.keys()) {
        const one = learned[place++]
        // the longest untouched are forgotten first
        remembered.delete(name)
        if (one) remembered.set(name, one)
      }
      while (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value as string)
    },

    forget({ series }: Asked): void {
      for (const name of series.keys()) remembered.delete(name)
    },
  }
}
