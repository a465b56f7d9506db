import type { Secret } from '@haltless/edge-agent/secret'
import { OperatorError } from '../support/errors.ts'
import { fingerprintOf } from '../support/secrets/derive.ts'
import { createSecretBox, DecryptionError, type SecretBox, type SecretKeys } from '../support/secrets/secret-box.ts'
import type { Sql } from './pools.ts'

/** The hub's SECRET_KEY differs from the one that its database belongs to. */
export class SecretKeyMismatch extends OperatorError {
  constructor(
    message = 'This database belongs to a hub with another SECRET_KEY. Start this hub with that key: the setting SECRET_KEY, or the file ' +
      'secret-key in the DATA_DIR of a hub that made its own. Backups of such a hub hold the key too.',
  ) {
    super(message)
  }
}

/** Which SECRET_KEY a database belongs to, as `hub_identity` says. */
export interface DatabaseKey {
  /** fingerprint of its SECRET_KEY */
  fingerprint: string
  /** fingerprint of the key that a rotation has begun to encrypt with; null: no rotation is under way */
  nextFingerprint: string | null
  /** the rotation is being undone: the key of the database encrypts again */
  isUndoing: boolean
  /** counts committed rotations, from 1; each has logins of its own */
  generation: number
}

/** The columns of `hub_identity`; a database that a version before rotations has used lacks the later ones. */
interface IdentityRow {
  secret_key_fingerprint: string
  next_fingerprint?: string | null
  is_undoing?: boolean
  key_generation?: number
}

/** @returns null for a database that no hub has used */
export async function readDatabaseKey(sql: Sql): Promise<DatabaseKey | null> {
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('public.hub_identity') is not null as exists`
  return table?.exists ? storedKey(sql) : null
}

async function storedKey(sql: Sql): Promise<DatabaseKey | null> {
  // whole: the columns of a later version may be missing
  const [found] = await sql<{ row: IdentityRow }[]>`select to_jsonb(i) as row from hub_identity i`
  if (!found) return null
  const { secret_key_fingerprint, next_fingerprint = null, is_undoing = false, key_generation = 1 } = found.row
  return {
    fingerprint: secret_key_fingerprint,
    nextFingerprint: next_fingerprint,
    isUndoing: is_undoing,
    generation: key_generation,
  }
}

/** Fingerprint of the key that encrypts now. */
export const sealingFingerprint = ({ fingerprint, nextFingerprint, isUndoing }: DatabaseKey): string =>
  isUndoing ? fingerprint : (nextFingerprint ?? fingerprint)

/** The SECRET_KEY of a database, and the generation of its logins. */
export interface OwnKey {
  secretKey: Secret
  generation: number
}

/**
 * Compares the SECRET_KEYs of this process with the database. Where that stores no fingerprint, the first must decrypt the signing keys. A
 * database that no hub has used passes.
 * @returns the key that the database belongs to
 * @throws SecretKeyMismatch
 */
export async function requireSecretKey(sql: Sql, keys: SecretKeys): Promise<OwnKey> {
  const stored = await readDatabaseKey(sql)
  if (!stored) return { secretKey: await requireOpening(sql, keys), generation: 1 }
  const own = (fingerprint: string) => keys.find((key) => fingerprintOf(key) === fingerprint)
  const secretKey = own(stored.fingerprint)
  const { nextFingerprint } = stored
  if (nextFingerprint && !(secretKey && own(nextFingerprint)))
    throw new SecretKeyMismatch(
      'The SECRET_KEY of this database is being changed, and this hub lacks one of the two keys. Give it both, SECRET_KEY and ' +
        'SECRET_KEY_NEXT, until `npm run hub -- keys rotate-secret` says that the change is complete.',
    )
  if (!secretKey) throw new SecretKeyMismatch()
  return { secretKey, generation: stored.generation }
}

async function requireOpening(sql: Sql, keys: SecretKeys): Promise<Secret> {
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('public.hub_keys') is not null as exists`
  const [key] = table?.exists
    ? await sql<{ name: string; sealed: string }[]>`
        select name, sealed_private_key as sealed from hub_keys order by name limit 1`
    : []
  try {
    if (key) createSecretBox([keys[0]]).open(key.sealed, `hub_keys/${key.name}`)
  } catch (error) {
    if (error instanceof DecryptionError && error.code === 'wrong_key') throw new SecretKeyMismatch()
    throw error
  }
  return keys[0]
}

/** Records the fingerprint of the first hub's SECRET_KEY; later starts compare with it. */
export const storeFingerprint = (owner: Sql, secretKey: Secret): Promise<unknown> =>
  owner`insert into hub_identity (secret_key_fingerprint) values (${fingerprintOf(secretKey)}) on conflict do nothing`

/** Lets a box encrypt with the key that a migrated database names. @throws DecryptionError where the box does not hold it */
export async function followDatabaseKey(sql: Sql, box: SecretBox): Promise<void> {
  const stored = await storedKey(sql)
  if (stored) box.follow(stored.fingerprint, sealingFingerprint(stored))
}
