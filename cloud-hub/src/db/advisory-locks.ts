import type { TransactionSql } from './pools.ts'
import type { TenantScope } from './scope.ts'

/**
 * Every advisory lock of the hub. PostgreSQL keeps locks of two integers (class, object) apart from those of one bigint key.
 *
 * SQL functions (migrations/functions) name their locks themselves: `store_partition` locks the key `hashtext('store_partition')`,
 * `fold_downtime` the class 4715 with `hashtext(machine id)`, after the locks below; who changes several machines goes by their ids.
 */
export const ADVISORY_LOCKS = {
  /**
   * Class, with `hashtext(tenant id)`. Flushes share it; a change of a rule or of an escalation policy, and the deactivation of a
   * machine, hold it exclusively. The first lock of every transaction that acquires it.
   */
  tenantRules: 4_711,
  /**
   * Class, with `hashtext(machine id)`, or `hashtext('<tenant id> <group of series>')` for arrivals. One process at a time moves stored
   * readings of them; flushes never acquire it.
   */
  sealing: 4_713,
  /**
   * Class, with `hashtext(tenant id)`. A flush with idempotency keys holds it from the look-up of the keys to its commit. Acquired
   * right after the lock of the tenant's rules.
   */
  tenantKeys: 4_714,
  /**
   * Class, with `hashtext(machine id)`. Held by `fold_downtime` from a change of a downtime record to its commit, and by detection before
   * it compares records.
   */
  downtimeFigures: 4_715,
  /** Class, with `hashtext(machine id)`. One process at a time detects downtime of a machine; no other work acquires it. */
  detection: 4_716,
  /**
   * Class, with `hashtext('<tenant id> <agent_id>')`. Every change of the credentials of an agent holds it, before any row: so that an
   * agent never has two credentials that are in use.
   */
  agentCredentials: 4_717,
  /** Key: one process migrates the database at a time. */
  migrations: 4_711_001,
  /** Key: one replica recomputes baselines at a time. */
  baselines: 4_711_003,
  /** Key: one replica seals idempotency keys at a time. */
  keySealing: 4_711_004,
  /**
   * Key: a worker that claims files of deleted attachments holds it; a backup shares it before its snapshot begins. So a file is
   * claimed only when every later snapshot lacks its row.
   */
  fileDeletion: 4_711_005,
  /** Key: a rotation of SECRET_KEY holds it; commands of an operator, which encrypt too, share it. */
  keyRotation: 4_711_008,
  /** Key: one replica analyzes machines at a time. */
  predictions: 4_711_009,
  /** Key: one base backup is made at a time. */
  baseBackup: 4_711_010,
} as const

/** Names of locks with the key `hashtextextended('<name> <tenant id>', 0)`. */
export type TenantLock =
  /** changes of the machine group tree: two concurrent moves could close a cycle that neither sees */
  | 'machine_groups'
  /** new checklists: so that the limit of a tenant holds */
  | 'checklists'
  /** new shift definitions: the same */
  | 'shift_definitions'
  /** automatic shift logs: one replica starts those of a tenant at a time */
  | 'shift_logs'
  /** changes of non-production days: one replaces all, so that two at once do not mix, and a tenant has a limit */
  | 'non_production_days'
  /** changes of the tree of reason codes, as above, and so that the limit of a tenant holds */
  | 'reason_codes'
  /** changes of polling sources: so that the limits of a tenant hold */
  | 'ingest_sources'
  /** new ERP connections: the same */
  | 'erp_connections'
  /** new notes: the same, of a machine or group */
  | 'notes'
  /** new enrolment keys: the same */
  | 'enrolment_keys'
  /** new series: each gets the next place of its machine, and the limit of the tenant holds */
  | 'series'
  /** what a limit of the tenant counts, by its kind; after the lock of the tenant's rules, before triggers lock the count of the kind */
  | `limit ${string}`

/** The key of a tenant's lock, for `pg_advisory_xact_lock(hashtextextended(key, 0))`. */
export const tenantLockKey = (name: TenantLock, { tenantId }: Pick<TenantScope, 'tenantId'>): string => `${name} ${tenantId}`

/** The statement that shares the rules lock of these tenants, so that it can be part of another statement. */
export const sharedRulesLock = (tx: TransactionSql, tenantIds: readonly string[]) => tx`
  select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.tenantRules}, key) from (
    select distinct hashtext(t::text) as key from unnest(${tenantIds as string[]}::uuid[]) t order by 1) keys`

/** Sent, not awaited. */
export const lockRulesShared = (tx: TransactionSql, tenantIds: readonly string[]): void =>
  void sharedRulesLock(tx, tenantIds).execute()

/** Before anything else in its transaction: a flush may be waiting for a row that was locked earlier. */
export const lockRulesExclusive = (tx: TransactionSql, scope: TenantScope) =>
  tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.tenantRules}, hashtext(${scope.tenantId}))`

/** Locks the idempotency keys of tenants for a flush. Sent, not awaited. */
export const lockKeys = (tx: TransactionSql, tenantIds: readonly string[]): void =>
  void tx`
    select pg_advisory_xact_lock(${ADVISORY_LOCKS.tenantKeys}, key) from (
      select distinct hashtext(t::text) as key from unnest(${tenantIds as string[]}::uuid[]) t order by 1) keys`.execute()

/** @returns whether this transaction seals idempotency keys; false: another replica does */
export async function lockKeySealing(tx: TransactionSql): Promise<boolean> {
  const [row] = await tx<{ ok: boolean }[]>`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.keySealing}) as ok`
  return row?.ok === true
}

/** @returns whether this transaction claims files for deletion; false: another replica does, or a backup runs */
export async function lockFileDeletion(tx: TransactionSql): Promise<boolean> {
  const [row] = await tx<{ ok: boolean }[]>`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.fileDeletion}) as ok`
  return row?.ok === true
}

/** Locks the credentials of an agent until the end of the transaction. Before any row lock of it. */
export const lockAgentCredentials = (tx: TransactionSql, tenantId: string, agentId: string) =>
  tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.agentCredentials}, hashtext(${`${tenantId} ${agentId}`}))`
