import type { Secret } from '@haltless/edge-agent/secret'
import { OperatorError } from '../support/errors.ts'
import { deriveKey } from '../support/secrets/derive.ts'
import { createSecretBox, DecryptionError } from '../support/secrets/secret-box.ts'
import type { Sql } from './pools.ts'

/** The hub's SECRET_KEY differs from the one that its database belongs to. */
export class SecretKeyMismatch extends OperatorError {
  constructor() {
    super(
      'This database belongs to a hub with another SECRET_KEY. Start this hub with that key: the setting SECRET_KEY, or the file ' +
        'secret-key in the DATA_DIR of a hub that made its own. Backups of such a hub hold the key too.',
    )
  }
}

/** One-way: HKDF output reveals nothing of the key. */
const fingerprintOf = (secretKey: Secret): string => deriveKey(secretKey, 'secret-key-fingerprint', 16).toString('hex')

/**
 * Compares SECRET_KEY with the fingerprint in the database. Where none is stored, it must decrypt the signing keys. A
 * database that no hub has used passes.
 * @throws SecretKeyMismatch
 */
export async function requireSecretKey(sql: Sql, secretKey: Secret): Promise<void> {
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('public.hub_identity') is not null as exists`
  if (!table?.exists) return
  const [row] = await sql<{ fingerprint: string }[]>`select secret_key_fingerprint as fingerprint from hub_identity`
  if (row && row.fingerprint !== fingerprintOf(secretKey)) throw new SecretKeyMismatch()
  if (row) return
  const [key] = await sql<{ name: string; sealed: string }[]>`
    select name, sealed_private_key as sealed from hub_keys order by name limit 1`
  try {
    if (key) createSecretBox(secretKey).open(key.sealed, `hub_keys/${key.name}`)
  } catch (error) {
    if (error instanceof DecryptionError && error.code === 'wrong_key') throw new SecretKeyMismatch()
    throw error
  }
}

/** Records the fingerprint of the first hub's SECRET_KEY; later starts compare with it. */
export const storeFingerprint = (owner: Sql, secretKey: Secret): Promise<unknown> =>
  owner`insert into hub_identity (secret_key_fingerprint) values (${fingerprintOf(secretKey)}) on conflict do nothing`
