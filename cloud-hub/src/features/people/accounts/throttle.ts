import type { Pools, Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { Clock } from '../../../support/clock.ts'
import { Conflict, TooManyRequests } from '../../../support/errors.ts'
import { clientOf } from '../../../support/http/client-ip.ts'
import { sha256 } from '../../../support/secrets/hash.ts'

const MAX_FAILURES = 10
const WINDOW_MS = 10 * 60_000
const LOCKOUT_MS = 15 * 60_000
/** An attempt that never ended, such as after a crash, frees its slot after this. */
const RESERVATION_MS = 60_000

export const accountSubject = (email: string): string => `account:${sha256(email.toLowerCase())}`
export const ipSubject = (ip: string): string => `ip:${sha256(clientOf(ip))}`

/** An attempt that reserves a slot for each subject; it ends with exactly one of `failed` and `succeeded`. */
interface Attempt {
  failed(): Promise<void>
  /** `reset`: subjects whose failures are reset; the others only release their slots */
  succeeded(reset?: string[]): Promise<void>
}

/**
 * Brute-force protection: 10 failures per subject in 10 minutes lock it for 15 minutes. Slots are reserved before the slow part,
 * in one statement. So 200 concurrent attempts over several replicas are counted exactly, and counts survive a restart.
 * @throws TooManyRequests on the 11th attempt, also with the right password, and for accounts that do not exist
 */
export async function beginAttempt(sql: Sql, clock: Clock, subjects: string[]): Promise<Attempt> {
  const at = clock.now()
  const held: string[] = []
  for (const subject of subjects) {
    if (await reserve(sql, subject, at)) {
      held.push(subject)
      continue
    }
    await Promise.all(held.map((mine) => release(sql, mine, at)))
    throw await lockedOut(sql, subject, at)
  }
  return {
    failed: async () => {
      for (const subject of subjects) await recordFailure(sql, subject, at, clock.now())
    },
    succeeded: async (reset = []) => {
      for (const subject of subjects) {
        if (reset.includes(subject)) await sql`delete from login_throttle where subject = ${subject}`
        else await release(sql, subject, at)
      }
    },
  }
}

/**
 * Refuses locked-out subjects without reserving a slot, for fast work that rarely fails.
 * @throws TooManyRequests while a subject is locked out
 */
export async function refuseLockedOut(sql: Sql, clock: Clock, subjects: string[]): Promise<void> {
  const at = clock.now()
  const [locked] = await sql<{ subject: string }[]>`
    select subject from login_throttle where subject = any(${subjects}) and locked_until > ${at} limit 1`
  if (locked) throw await lockedOut(sql, locked.subject, at)
}

/** Counts a failure without a reserved slot (see {@link refuseLockedOut}). */
export async function countFailure(sql: Sql, clock: Clock, subjects: string[]): Promise<void> {
  const at = clock.now()
  for (const subject of subjects) {
    await sql`insert into login_throttle (subject, failures, reserved, updated_at) values (${subject}, '{}', '{}', ${at}) on conflict do nothing`
    await recordFailure(sql, subject, at, at)
  }
}

/** Failures and reservations that still count; the end of a lockout resets everything. */
const live = (sql: Sql, at: Date) => ({
  failures: sql`case when t.locked_until <= ${at} then '{}' else array(select f from unnest(t.failures) f where f > ${new Date(at.getTime() - WINDOW_MS)}) end`,
  reserved: sql`array(select r from unnest(t.reserved) r where r > ${new Date(at.getTime() - RESERVATION_MS)})`,
})

async function reserve(sql: Sql, subject: string, at: Date): Promise<boolean> {
  const { failures, reserved } = live(sql, at)
  const rows = await sql`
    insert into login_throttle as t (subject, failures, reserved, updated_at) values (${subject}, '{}', array[${at}::timestamptz], ${at})
    on conflict (subject) do update set failures = ${failures}, reserved = ${reserved} || ${at}::timestamptz, locked_until = null, updated_at = ${at}
    where t.locked_until <= ${at}
       or (t.locked_until is null and cardinality(${failures}) + cardinality(${reserved}) < ${MAX_FAILURES})
    returning subject`
  return rows.length === 1
}

/** Removes one of possibly several equal times from the array. */
const without = (sql: Sql, at: Date) => sql`
  case when array_position(t.reserved, ${at}::timestamptz(3)) is null then t.reserved
       else t.reserved[:array_position(t.reserved, ${at}::timestamptz(3)) - 1] || t.reserved[array_position(t.reserved, ${at}::timestamptz(3)) + 1:] end`

async function release(sql: Sql, subject: string, at: Date): Promise<void> {
  await sql`update login_throttle t set reserved = ${without(sql, at)} where subject = ${subject}`
}

async function recordFailure(sql: Sql, subject: string, reservedAt: Date, now: Date): Promise<void> {
  const { failures } = live(sql, now)
  await sql`
    update login_throttle t set
      reserved = ${without(sql, reservedAt)},
      failures = ${failures} || ${now}::timestamptz,
      locked_until = case when cardinality(${failures}) + 1 >= ${MAX_FAILURES} then ${new Date(now.getTime() + LOCKOUT_MS)}::timestamptz else t.locked_until end,
      updated_at = ${now}
    where subject = ${subject}`
}

async function lockedOut(sql: Sql, subject: string, at: Date): Promise<TooManyRequests> {
  const [row] = await sql<{ locked_until: Date | null }[]>`select locked_until from login_throttle where subject = ${subject}`
  const seconds = row?.locked_until ? (row.locked_until.getTime() - at.getTime()) / 1000 : 1
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  return new TooManyRequests(
    'login_locked',
    `Too many failed attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    seconds,
  )
}

/**
 * Throttles probing for e-mail addresses: creating and changing users reveals whether an address has an account, also at another
 * tenant. Such hits count like failed sign-ins of the network address and of the tenant. Addresses of the own tenant do not
 * count.
 * @param email undefined: the request names no address
 * @throws TooManyRequests after 10 hits in 10 minutes, and what `work` throws
 */
export async function throttleGuesses<T>(
  pools: Pools,
  scope: TenantScope,
  email: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (email === undefined) return work()
  const { tenantId, actor, clock } = scope
  const subjects = [ipSubject(actor.ip ?? ''), `guesses:${tenantId}`]
  await refuseLockedOut(pools.system, clock, subjects)
  try {
    return await work()
  } catch (error) {
    const isTaken = error instanceof Conflict && error.code === 'email_taken'
    if (isTaken && !(await isOwn(scope, email))) await countFailure(pools.system, clock, subjects)
    throw error
  }
}

const isOwn = async (scope: TenantScope, email: string): Promise<boolean> => {
  const rows = await scope.read(
    (sql) => sql`select 1 from users where tenant_id = ${scope.tenantId} and lower(email) = ${email.toLowerCase()}`,
  )
  return rows.length > 0
}
