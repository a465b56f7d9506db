import type { Series } from '@haltless/protocol'

/** {@link RequestSeries.find} knows no such series. */
export const UNKNOWN = -1

/**
 * The distinct series of a request in the order in which they come. While items name those of an earlier request, in the same order, they are
 * found by comparing, which is several times faster than looking them up.
 */
export class RequestSeries {
  /** of an earlier request; its first `#used` series have come */
  #known: readonly Series[] | null
  #used = 0
  #last = UNKNOWN
  #own: Series[] = []
  readonly #slots = new Map<string, number>()

  constructor(known: readonly Series[] | undefined) {
    this.#known = known ?? null
  }

  /** The index of the series that an item names; {@link UNKNOWN} also for names that are not texts. */
  find(item: Record<string, unknown>): number {
    if (!this.#known) return UNKNOWN
    const next = this.#last + 1
    for (const slot of [next, this.#last, 0]) {
      const series = this.#known[slot]
      if (!series || !isNamedBy(item, series)) continue
      this.#last = slot
      this.#used = Math.max(this.#used, slot + 1)
      return slot
    }
    this.#own = this.#known.slice(0, this.#used)
    this.#known = null
    for (const [slot, series] of this.#own.entries()) this.#slots.set(nameOf(series), slot)
    return UNKNOWN
  }

  /** The index of a series, which is added if it has not come yet. */
  add(series: Series): number {
    const name = nameOf(series)
    const known = this.#slots.get(name)
    if (known !== undefined) return known
    const slot = this.#own.push(series) - 1
    this.#slots.set(name, slot)
    return slot
  }

  /** All series; the array of the earlier request if they are the same. */
  series(): readonly Series[] {
    if (!this.#known) return this.#own
    return this.#used === this.#known.length ? this.#known : this.#known.slice(0, this.#used)
  }
}

/** The raw tag of an item; null for none. */
export const tagOf = (rawTag: unknown): unknown => (rawTag === undefined || rawTag === '' ? null : rawTag)

const isNamedBy = (item: Record<string, unknown>, { machine, metric, unit, rawTag }: Series): boolean =>
  item.metric_name === metric && item.machine_identifier === machine && item.unit === unit && tagOf(item.raw_tag) === rawTag

const nameOf = ({ machine, metric, unit, rawTag }: Series): string => `${machine}\0${metric}\0${unit}\0${rawTag ?? ''}`
