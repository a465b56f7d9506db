import { setTimeout } from 'node:timers/promises'
import { OperatorError } from '../support/errors.ts'
import { fingerprintOf } from '../support/secrets/derive.ts'
import { DecryptionError, type SecretBox, type SecretKeys, sealedPrefix } from '../support/secrets/secret-box.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { type DatabaseKey, readDatabaseKey, requireSecretKey } from './identity.ts'
import { planLogins } from './logins.ts'
import { asOwner } from './owner.ts'
import type { Sql } from './pools.ts'
import { changeRoles } from './roles.ts'

/** A rotation of SECRET_KEY cannot begin, or go on. Nothing is lost: it continues, or is undone, when the command runs again. */
export class RotationRefused extends OperatorError {}

/** Running hubs do not hold both keys yet. */
export class HubsWithoutKey extends RotationRefused {}

/** `hub_keys` with this prefix and the fingerprint of a former SECRET_KEY: the key of its recovery codes. */
export const RECOVERY_CODE_KEYS = 'recovery_codes.'

/** A column that is encrypted under SECRET_KEY. */
export interface SealedColumn {
  table: string
  column: string
  /** the primary key */
  key: readonly string[]
  /** what the value was encrypted for; see `SecretBox.seal` */
  context(key: Record<string, string>): string
}

/** Every column that is encrypted under SECRET_KEY. The contexts are those that the areas encrypt with. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'hub_keys',
    column: 'sealed_private_key',
    key: ['name'],
    // the previous key of a kind was sealed as its current one
    context: ({ name }) => `hub_keys/${name?.replace(/\.previous$/, '')}`,
  },
  {
    table: 'erp_connections',
    column: 'sealed_config',
    key: ['tenant_id', 'id'],
    context: ({ tenant_id, id }) => `erp_connections/${tenant_id}/${id}/config`,
  },
  {
    table: 'ingest_sources',
    column: 'sealed_secrets',
    key: ['tenant_id', 'id'],
    context: ({ tenant_id, id }) => `ingest_sources/${tenant_id}/${id}/secrets`,
  },
  {
    table: 'mails',
    column: 'sealed_params',
    key: ['tenant_id', 'id'],
    context: ({ tenant_id, id }) => `mails/${tenant_id}/${id}`,
  },
  {
    table: 'mfa_secrets',
    column: 'sealed_secret',
    key: ['tenant_id', 'user_id'],
    context: ({ tenant_id, user_id }) => `mfa_secrets/${tenant_id}/${user_id}`,
  },
  {
    table: 'notification_channels',
    column: 'sealed_config',
    key: ['tenant_id', 'id'],
    context: ({ tenant_id, id }) => `notification_channels/${tenant_id}/${id}/config`,
  },
  {
    table: 'sso_configs',
    column: 'sealed_client_secret',
    key: ['tenant_id'],
    context: ({ tenant_id }) => `sso_configs/${tenant_id}`,
  },
  { table: 'sso_logins', column: 'sealed_checks', key: ['state_hash'], context: ({ state_hash }) => `sso_logins/${state_hash}` },
]

/** How long a hub may take to follow; it looks every 2 seconds. */
const FOLLOW_MS = 60_000
const POLL_MS = 250
/** A hub that was silent for longer has ended. */
const SILENT_SECONDS = 10
const BATCH = 200

export interface Rotation {
  /** the owner's URL */
  url: string
  system: Sql
  /** holds both keys */
  box: SecretBox
  keys: SecretKeys
  /** false: an administrator creates the logins */
  hasOwnLogins: boolean
  /** the key of the database encrypts again, and what was encrypted under the next one is re-encrypted */
  isUndo: boolean
  progress(table: string, rows: number): void
  /** called after each step; for tests that interrupt it there */
  afterStep?(step: 'begun' | 'followed' | 'encrypted'): Promise<void>
}

export interface RotationResult {
  /** `nothing`: the database already belongs to the key, or there is nothing to undo */
  state: 'rotated' | 'undone' | 'nothing'
  /** secrets that were encrypted again */
  reencrypted: number
  /** rows whose secret no key decrypts, as `table/key`; they stay as they are */
  damaged: string[]
  /** fingerprint of the key that the database belongs to */
  fingerprint: string
}

/**
 * Changes the SECRET_KEY of a database from the first key to the second, while its hubs run with both. It goes on where an interrupted one
 * ended: the database names the key that encrypts (`begun`), each running hub follows, every stored secret is encrypted again, and only then
 * does the database belong to the next key.
 * @throws RotationRefused, SecretKeyMismatch, RolesMissing
 */
export const rotateSecretKey = (rotation: Rotation): Promise<RotationResult> =>
  asOwner(rotation.url, 'key rotation', async (owner) => {
    const [lock] = await owner<{ ok: boolean }[]>`select pg_try_advisory_lock(${ADVISORY_LOCKS.keyRotation}) as ok`
    if (!lock?.ok)
      throw new RotationRefused(
        'Another command of this hub runs, which may encrypt secrets too. Wait until it ends, then run this again.',
      )
    await requireSecretKey(owner, rotation.keys)
    const stored = (await readDatabaseKey(owner)) as DatabaseKey
    const next = rotation.keys.find((key) => fingerprintOf(key) !== stored.fingerprint)
    const nextFingerprint = next && fingerprintOf(next)
    const nothing: RotationResult = { state: 'nothing', reencrypted: 0, damaged: [], fingerprint: stored.fingerprint }
    const isComplete = stored.nextFingerprint === null && fingerprintOf(rotation.keys[0]) !== stored.fingerprint
    if (!next || !nextFingerprint) return nothing
    if (isComplete || (rotation.isUndo && stored.nextFingerprint === null)) {
      // what a hub that was frozen has written since
      rotation.box.follow(stored.fingerprint, stored.fingerprint)
      return { ...nothing, ...(isComplete ? await reencryptAll(rotation, stored.fingerprint) : {}) }
    }
    await requireBothKeys(owner, [stored.fingerprint, nextFingerprint])
    if (rotation.hasOwnLogins && !rotation.isUndo) {
      const { statements } = await planLogins(owner, rotation.url, { secretKey: next, generation: stored.generation + 1 })
      if (statements.length > 0) await changeRoles(owner, statements)
    }
    await owner`update hub_identity set next_fingerprint = ${nextFingerprint}, is_undoing = ${rotation.isUndo}`
    await rotation.afterStep?.('begun')
    const wanted = rotation.isUndo ? stored.fingerprint : nextFingerprint
    rotation.box.follow(stored.fingerprint, wanted)
    await untilAllSealWith(owner, wanted)
    await rotation.afterStep?.('followed')
    await untilOthersHaveCommitted(owner)
    const done = await reencryptAll(rotation, wanted)
    await rotation.afterStep?.('encrypted')
    if (rotation.isUndo) await owner`update hub_identity set next_fingerprint = null, is_undoing = false`
    else await commit(owner, rotation.box, stored.fingerprint, nextFingerprint)
    rotation.box.follow(wanted, wanted)
    return { state: rotation.isUndo ? 'undone' : 'rotated', fingerprint: wanted, ...done }
  })

/** Every running hub holds both keys, so that each can decrypt what another has encrypted. */
async function requireBothKeys(owner: Sql, fingerprints: string[]): Promise<void> {
  const [hubs] = await owner<[{ running: number; without: number }]>`
    select count(*)::int as running,
      count(*) filter (where key_fingerprints is null or not key_fingerprints @> ${fingerprints}::text[])::int as without
    from hub_replicas
    where seen_at > now() - make_interval(secs => ${SILENT_SECONDS})`
  if (hubs.without > 0)
    throw new HubsWithoutKey(
      `${hubs.without} of ${hubs.running} running hubs do not have both keys yet. Restart them one by one with SECRET_KEY and ` +
        'SECRET_KEY_NEXT, then run this again.',
    )
}

async function untilAllSealWith(owner: Sql, fingerprint: string): Promise<void> {
  const deadline = Date.now() + FOLLOW_MS
  for (;;) {
    const [hubs] = await owner<[{ behind: number }]>`
      select count(*)::int as behind from hub_replicas
      where seen_at > now() - make_interval(secs => ${SILENT_SECONDS}) and sealing_fingerprint is distinct from ${fingerprint}`
    if (hubs.behind === 0) return
    if (Date.now() > deadline)
      throw new RotationRefused(
        `${hubs.behind} running hubs have not followed within a minute: their logs say why. Run this again afterwards.`,
      )
    await setTimeout(POLL_MS)
  }
}

/**
 * Waits for the transactions that run now: one may have encrypted before its hub followed, and what it writes is seen only after its commit.
 * Source: PostgreSQL, 9.27.8 (pg_snapshot_xmin)
 */
async function untilOthersHaveCommitted(owner: Sql): Promise<void> {
  const [now] = await owner<[{ id: string }]>`select pg_current_xact_id()::text as id`
  const deadline = Date.now() + FOLLOW_MS
  for (;;) {
    const [oldest] = await owner<
      [{ isPast: boolean }]
    >`select pg_snapshot_xmin(pg_current_snapshot()) > ${now.id}::xid8 as "isPast"`
    if (oldest.isPast) return
    if (Date.now() > deadline)
      throw new RotationRefused(
        'A transaction has been running for more than a minute (pg_stat_activity shows it). Run this again when it has ended.',
      )
    await setTimeout(POLL_MS)
  }
}

async function reencryptAll(
  { system, box, keys, progress }: Rotation,
  wanted: string,
): Promise<Pick<RotationResult, 'reencrypted' | 'damaged'>> {
  const prefix = sealedPrefix(keys.find((key) => fingerprintOf(key) === wanted) ?? keys[0])
  const damaged = new Set<string>()
  let reencrypted = 0
  for (const sealed of SEALED_COLUMNS) {
    let done = 0
    // a second look finds rows that were changed during the first one
    for (let changed = 1; changed > 0; done += changed) {
      changed = await reencrypt(system, box, sealed, prefix, damaged, (rows) => progress(sealed.table, done + rows))
    }
    reencrypted += done
  }
  return { reencrypted, damaged: [...damaged] }
}

/** @returns how many rows of a table that do not begin with `prefix`, that of the wanted key, it has encrypted again */
async function reencrypt(
  system: Sql,
  box: SecretBox,
  { table, column, key, context }: SealedColumn,
  prefix: string,
  damaged: Set<string>,
  progress: (rows: number) => void,
): Promise<number> {
  const columns = system(key as string[])
  let changed = 0
  const found = system<Record<string, string>[]>`
    select ctid::text as place, ${columns}, ${system(column)} as sealed from ${system(table)}
    where ${system(column)} <> '' and left(${system(column)}, ${prefix.length}) <> ${prefix}`
  for await (const rows of found.cursor(BATCH)) {
    for (const { place, sealed, ...id } of rows) {
      const name = `${table}/${Object.values(id).join('/')}`
      if (damaged.has(name)) continue
      const fresh = reseal(box, sealed as string, context(id))
      if (fresh === null) damaged.add(name)
      else {
        // a row that was changed meanwhile is elsewhere, or has another secret: the next look finds it
        const updated = await system`
          update ${system(table)} set ${system(column)} = ${fresh}
          where ctid = ${place as string}::tid and ${system(column)} = ${sealed as string}`
        changed += updated.count
      }
    }
    progress(changed)
  }
  return changed
}

function reseal(box: SecretBox, sealed: string, context: string): string | null {
  try {
    return box.seal(box.open(sealed, context), context)
  } catch (error) {
    if (error instanceof DecryptionError) return null
    throw error
  }
}

/** From here on the database belongs to the next key. What only the former one could do is kept under the next: checking its recovery codes. */
const commit = (owner: Sql, box: SecretBox, former: string, next: string): Promise<unknown> =>
  owner.begin(async (allTenants) => {
    await allTenants`
      delete from hub_keys k
      where starts_with(k.name, ${RECOVERY_CODE_KEYS})
      -- requests with an Idempotency-Key are known for a day by hashes of the same key
      and k.created_at < now() - interval '25 hours' and not exists (
        select from recovery_codes c
        join mfa_secrets m using (tenant_id, user_id)
        -- hubs follow within seconds: codes of that time are by the former key too
        where c.used_at is null and m.created_at < k.created_at + interval '1 hour'
      )`
    const name = RECOVERY_CODE_KEYS + former
    await allTenants`
      insert into hub_keys (name, public_key, sealed_private_key)
      values (${name}, '', ${box.seal(box.macKeyOf(former), `hub_keys/${name}`)})
      on conflict (name) do update set sealed_private_key = excluded.sealed_private_key`
    await allTenants`
      update hub_identity
      set secret_key_fingerprint = ${next}, next_fingerprint = null, is_undoing = false, key_generation = key_generation + 1`
  })

/**
 * Runs a command of an operator, which may encrypt secrets, while no rotation runs.
 * @throws RotationRefused
 */
export async function duringKey<T>(system: Sql, work: () => Promise<T>): Promise<T> {
  const session = await system.reserve()
  try {
    const [lock] = await session<{ ok: boolean }[]>`select pg_try_advisory_lock_shared(${ADVISORY_LOCKS.keyRotation}) as ok`
    if (!lock?.ok)
      throw new RotationRefused('SECRET_KEY is being changed by another command. Wait until that ends, then run this again.')
    try {
      return await work()
    } finally {
      await session`select pg_advisory_unlock_shared(${ADVISORY_LOCKS.keyRotation})`
    }
  } finally {
    session.release()
  }
}

/** The tables with secrets that are encrypted under another key than that of the database. What was sent, such as a mail, is empty. */
export async function tablesUnderOtherKeys(sql: Sql, prefix: string): Promise<string[]> {
  const tables: string[] = []
  for (const { table, column } of SEALED_COLUMNS) {
    const [row] = await sql`
      select from ${sql(table)} where ${sql(column)} <> '' and left(${sql(column)}, ${prefix.length}) <> ${prefix} limit 1`
    if (row) tables.push(table)
  }
  return tables
}
