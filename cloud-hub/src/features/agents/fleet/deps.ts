import type { Pools } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import type { SigningKeys } from '../../people/accounts/index.ts'
import type { HeartbeatSettings } from './heartbeat.ts'

export interface AgentDeps {
  pools: Pools
  keys: SigningKeys
  box: SecretBox
  clock: Clock
  config: HeartbeatSettings
  /** the broker's address for agents, given the host name of the caller's request */
  mqttUrl(requestHost: string | null): string
}
