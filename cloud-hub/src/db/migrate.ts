import type { SecretKeys } from '../support/secrets/secret-box.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { type OwnKey, requireSecretKey, storeFingerprint } from './identity.ts'
import type { Logins } from './login.ts'
import { ensureLogins } from './logins.ts'
import { appliedMigrations, applyMigrations, pendingMigrations } from './migrations.ts'
import { asOwner } from './owner.ts'
import type { Sql } from './pools.ts'
import { narrowPublic } from './public-privileges.ts'
import { changeRoles, missingRoles } from './roles.ts'

/** Serializes replicas by an advisory lock on the owner's only connection. */
const locked = <T>(url: string, work: (owner: Sql) => Promise<T>): Promise<T> =>
  asOwner(url, 'migrations', async (owner) => {
    await owner`select pg_advisory_lock(${ADVISORY_LOCKS.migrations})`
    return work(owner)
  })

/**
 * Migrates the tables to this version, as their owner. Pending migrations are one transaction, so an interruption changes
 * nothing.
 * @param upTo how many migrations to have afterwards; fewer than all only for a backup of an earlier version
 * @throws UnsupportedServer, NewerDatabase, OlderDatabase, RolesMissing, MigrationFailed
 */
export const migrateTables = (url: string, upTo = Number.POSITIVE_INFINITY): Promise<void> =>
  locked(url, async (owner) => {
    const applied = await appliedMigrations(owner)
    const pending = pendingMigrations(applied)
    await changeRoles(owner, await missingRoles(owner))
    await applyMigrations(owner, pending.slice(0, Math.max(0, upTo - applied.length)))
  })

async function prepare<T>(url: string, keys: SecretKeys, makeRoles: (owner: Sql, key: OwnKey) => Promise<T>): Promise<T> {
  return locked(url, async (owner) => {
    const pending = pendingMigrations(await appliedMigrations(owner))
    // The key is checked first, so that a hub with a wrong key changes nothing.
    const key = await requireSecretKey(owner, keys)
    const made = await makeRoles(owner, key)
    await applyMigrations(owner, pending)
    await narrowPublic(owner)
    await storeFingerprint(owner, key.secretKey)
    return made
  })
}

/**
 * Brings roles, logins and tables to this version, as the owner.
 * @returns the logins for `openPools`
 * @throws UnsupportedServer, NewerDatabase, OlderDatabase, SecretKeyMismatch, RolesMissing, LoginRefused, MigrationFailed
 */
export const prepareDatabase = (url: string, keys: SecretKeys): Promise<Logins> =>
  prepare(url, keys, (owner, key) => ensureLogins(owner, url, key))

/**
 * Like `prepareDatabase`, for hubs whose logins an administrator creates (DATABASE_APP_URL, DATABASE_INGEST_URL,
 * DATABASE_SYSTEM_URL).
 */
export const prepareTables = (url: string, keys: SecretKeys): Promise<void> =>
  prepare(url, keys, async (owner) => changeRoles(owner, await missingRoles(owner)))
