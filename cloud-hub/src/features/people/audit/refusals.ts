import type { Sql } from '../../../db/pools.ts'
import type { Metrics } from '../../../metrics.ts'
import type { Clock } from '../../../support/clock.ts'
import { clientOf } from '../../../support/http/client-ip.ts'
import type { Logger } from '../../../support/logger.ts'
import { RecentMap } from '../../../support/recent-map.ts'
import { type EventActor, recordEvent } from './record-event.ts'

/** A refused credential, or a request that its caller may not make. */
interface Refusal {
  /** the code of the refusal, from the hub's own list */
  reason: string
  ip: string
  /** the path of the operation, or `mqtt` */
  path: string
  /** whose credential it was, where that is known */
  by?: { tenantId: string; actor: EventActor } | undefined
}

const MINUTE_MS = 60_000
/** The audit trail is kept, so a program that goes on with a revoked key for years must not fill it. */
const HOUR_MS = 3_600_000
const ADDRESSES = 10_000
const ACTORS = 10_000

/**
 * Counts refusals by reason. It logs one line for each address and minute, and records one event for each actor, reason and hour in
 * the audit trail of a tenant that is known.
 */
export class Refusals {
  readonly #deps: { allTenants: Sql; clock: Clock; logger: Logger; metrics: Pick<Metrics, 'observeRefusal'> }
  readonly #logged = new RecentMap<{ at: number; unlogged: number }>(ADDRESSES, () => 1)
  readonly #recorded = new RecentMap<number>(ACTORS, () => 1)

  constructor(deps: { allTenants: Sql; clock: Clock; logger: Logger; metrics: Pick<Metrics, 'observeRefusal'> }) {
    this.#deps = deps
  }

  observe(refusal: Refusal): void {
    this.#deps.metrics.observeRefusal(refusal.reason)
    this.#log(refusal)
    this.#record(refusal)
  }

  #log({ reason, ip, path, by }: Refusal): void {
    const [address, now] = [clientOf(ip), this.#deps.clock.now().getTime()]
    const last = this.#logged.get(address)
    if (last && isWithin(MINUTE_MS, last.at, now)) {
      last.unlogged++
      return
    }
    this.#logged.set(address, { at: now, unlogged: 0 })
    const line = { ip, reason, path, tenant_id: by?.tenantId, unlogged_before: last?.unlogged ?? 0 }
    this.#deps.logger.info(line, 'a credential or request was refused')
  }

  #record({ reason, path, by }: Refusal): void {
    if (!by) return
    const { allTenants, clock, logger } = this.#deps
    const { tenantId, actor } = by
    const [name, now] = [`${tenantId} ${actor.kind} ${actor.tokenId ?? actor.id} ${reason}`, clock.now().getTime()]
    const last = this.#recorded.get(name)
    if (last !== undefined && isWithin(HOUR_MS, last, now)) return
    this.#recorded.set(name, now)
    const target =
      actor.tokenId === undefined
        ? { type: actor.kind, id: actor.id, name: actor.name }
        : { type: 'access_token', id: actor.tokenId, name: actor.name }
    recordEvent(allTenants, tenantId, actor, REFUSED, target, { reason, path }).catch((error) =>
      logger.warn({ err: error }, 'a refusal could not be recorded in the audit trail'),
    )
  }
}

/** The action of a refusal in the trail. */
export const REFUSED = 'access.refused'

/** A clock that was set back begins the time anew. */
const isWithin = (ms: number, then: number, now: number) => Math.abs(now - then) < ms
