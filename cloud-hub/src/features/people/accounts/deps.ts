import type { Pools } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import type { DemoSignIn } from './demo-sign-in.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface AccountDeps {
  pools: Pools
  keys: SigningKeys
  box: SecretBox
  clock: Clock
  /** undefined but in the hub of the demonstration */
  demo?: DemoSignIn | undefined
  config: { isRegistrationOpen: boolean }
}
