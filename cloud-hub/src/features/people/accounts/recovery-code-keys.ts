import { RECOVERY_CODE_KEYS } from '../../../db/key-rotation.ts'
import type { Sql } from '../../../db/pools.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'

/**
 * Recovery codes are stored as keyed hashes, which nobody can compute again when SECRET_KEY changes: a rotation keeps the key of those hashes,
 * so that codes from before it stay valid until they are used.
 */
export async function loadRecoveryCodeKeys(system: Sql, box: SecretBox): Promise<void> {
  const rows = await system<{ name: string; sealed: string }[]>`
    select name, sealed_private_key as sealed from hub_keys where starts_with(name, ${RECOVERY_CODE_KEYS})`
  for (const { name, sealed } of rows) box.addMacKey(box.open(sealed, `hub_keys/${name}`))
}
