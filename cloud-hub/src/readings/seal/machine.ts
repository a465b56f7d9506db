import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts'
import { dbError, isLocked, transientDbError } from '../../db/errors.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'

export interface MachineKey {
  tenantId: string
  machineId: string
}

/** Stored bytes that do not decode, or readings that cannot be stored. They stay as they are. */
export interface Refusal {
  tenantId: string
  /** missing where the row is of several machines */
  machineId?: string
  /** the row or block, for the operator */
  what: string
  reason: string
}

/** Rows were not there any more when they were to be deleted; the transaction rolls back, and a later run does the work. */
export class ChangedMeanwhile extends Error {
  override name = 'ChangedMeanwhile'
}

/**
 * Runs a transaction as the only one that moves readings of the machine: sealing, merging and retention share this lock.
 * Flushes never acquire it.
 * @returns null when another transaction holds the lock
 */
export function withMachine<T>(sql: Sql, machine: MachineKey, work: (tx: TransactionSql) => Promise<T>): Promise<T | null> {
  return sql.begin(async (tx) => {
    // its own statement: the next one sees what the last holder of the lock committed
    const [row] = await tx<{ isOurs: boolean }[]>`
      select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.sealing}, hashtext(${machine.machineId})) as "isOurs"`
    return row?.isOurs ? work(tx) : null
  }) as Promise<T | null>
}

/**
 * As `withMachine`, for work that does not come back soon: waits for the lock.
 * @returns null when another transaction still holds the lock after the `lock_timeout` of the connection
 */
export async function withMachineWhenFree<T>(
  sql: Sql,
  machine: MachineKey,
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T | null> {
  try {
    return (await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.sealing}, hashtext(${machine.machineId}))`
      return work(tx)
    })) as T
  } catch (error) {
    if (isLocked(error)) return null
    throw error
  }
}

export function assertCount(what: string, found: number, expected: number): void {
  if (found !== expected) throw new ChangedMeanwhile(`${found} ${what} where ${expected} were read`)
}

/** foreign_key_violation, deadlock_detected: the machine or a series has been deleted meanwhile */
const COLLISIONS = ['23503', '40P01']

/** Another transaction moved or deleted the same readings: a later run does the work. */
export const isCollision = (error: unknown): boolean =>
  error instanceof ChangedMeanwhile || COLLISIONS.includes(dbError(error)?.code ?? '')

/** A condition that no other machine would escape either. */
export function isDatabaseAway(error: unknown): boolean {
  const transient = transientDbError(error)
  return transient !== null && transient.code !== 'database_busy'
}
