import type { Clock } from '../../../support/clock.ts'

export interface EnrolmentDeps {
  clock: Clock
  /** the broker's address for agents, given the host name of the caller's request */
  mqttUrl(requestHost: string | null): string
}
