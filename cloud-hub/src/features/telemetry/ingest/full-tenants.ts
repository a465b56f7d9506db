/** A tenant that has as many series as it may have is asked again after this, so that each of its batches does not try to add series. */
const REMEMBER_MS = 2_000

/** The tenants that were found to have as many series as they may have, with that limit. */
export class FullTenants {
  readonly #found = new Map<string, { limit: number; until: number }>()

  remember(found: ReadonlyMap<string, number>): void {
    for (const [tenantId, limit] of found) this.#found.set(tenantId, { limit, until: performance.now() + REMEMBER_MS })
  }

  /** The limits of those that were found a moment ago, by tenant. */
  recent(): Map<string, number> {
    const now = performance.now()
    for (const [tenantId, { until }] of this.#found) if (until <= now) this.#found.delete(tenantId)
    return new Map([...this.#found].map(([tenantId, { limit }]) => [tenantId, limit]))
  }
}
