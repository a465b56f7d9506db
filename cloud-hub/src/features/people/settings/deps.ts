import type { Pools } from '../../../db/pools.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import type { SendingLimits } from '../../mails/index.ts'
import type { SigningKeys } from '../accounts/index.ts'

export interface SettingsDeps {
  pools: Pools
  keys: SigningKeys
  box: SecretBox
  config: { sendingLimits: SendingLimits; attachments: { tenantBytes: number } }
}
