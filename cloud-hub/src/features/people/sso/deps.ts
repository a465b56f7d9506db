import type { Pools } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import type { Logger } from '../../../support/logger.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import type { SigningKeys } from '../accounts/index.ts'
import type { SsoConfigDeps } from './config.ts'
import type { ResolveTxt } from './verify-domain.ts'

export interface SsoDeps {
  pools: Pools
  keys: SigningKeys
  box: SecretBox
  http: GuardedClient
  clock: Clock
  logger: Logger
  /** the public URL of the hub, without a trailing slash */
  publicUrl: string
  config: SsoConfigDeps['config']
  resolveTxt: ResolveTxt
}
