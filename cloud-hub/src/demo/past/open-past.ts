import type { HubWithClock } from '../../hub/with-clock.ts'
import type { Clock } from '../../support/clock.ts'
import { clientWith, type DemoApi } from '../api.ts'

export const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000
export const MINUTE_MS = 60_000

/** The hub at an instant of the past. Its operations do what they would have done then. */
export interface Past {
  /** Unix ms, whole minutes; the past ends where the life of the plant begins */
  readonly from: number
  readonly until: number
  readonly ingest: HubWithClock['ingest']
  /** Sets the clock, Unix ms. */
  goTo(at: number): void
  /** A client by the clock of the past. @param token an access token */
  client(token: string): DemoApi
}

/** @param now Unix ms */
export function openPast(withClock: (clock: Clock) => HubWithClock, now: number, days: number): Past {
  const until = Math.floor(now / MINUTE_MS) * MINUTE_MS
  const from = until - days * DAY_MS
  let at = from
  const { request, ingest } = withClock({ now: () => new Date(at) })
  return {
    from,
    until,
    ingest,
    goTo: (instant) => {
      at = instant
    },
    client: (token) => clientWith(request, token),
  }
}
