/** SQLSTATE and constraint of a database error, or of the one that caused an error; null when there is none. */
export function dbError(error: unknown): { code: string; constraint: string | undefined } | null {
  const cause = (error as { cause?: unknown })?.cause ?? error
  const { code, constraint_name } = (cause ?? {}) as { code?: unknown; constraint_name?: string }
  return typeof code === 'string' ? { code, constraint: constraint_name } : null
}

export const isUniqueViolation = (error: unknown, constraint?: string): boolean => {
  const found = dbError(error)
  return found?.code === '23505' && (constraint === undefined || found.constraint === constraint)
}

export const isForeignKeyViolation = (error: unknown, constraint: string): boolean => {
  const found = dbError(error)
  return found?.code === '23503' && found.constraint === constraint
}

/** A database condition that prevents a statement now but may pass. The caller may retry later. */
export interface TransientDbError {
  /** stable, snake_case */
  code: 'database_away' | 'database_full' | 'database_busy'
  /** a sentence for the caller */
  detail: string
}

const AWAY: TransientDbError = {
  code: 'database_away',
  detail: 'The database is unreachable; try again in a few seconds.',
}
const FULL: TransientDbError = {
  code: 'database_full',
  detail: 'The database has no disk space left; its operator must free some. Try again later.',
}
const BUSY: TransientDbError = {
  code: 'database_busy',
  detail: 'The database is too busy to complete this request; try again in a few seconds.',
}

const CONNECTION_LOST = new Set([
  'ECONNREFUSED',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'WRONG_SESSION_ATTRS',
  // our driver patch: committed, but on this server alone
  'NOT_REPLICATED',
])

/**
 * Maps a database error to the condition that prevented the statement; null when the statement itself is at fault. After a lost
 * connection the outcome is unknown, so callers may repeat only idempotent work. Source: PostgreSQL, Appendix A (error codes): 08
 * connections, 53 resources, 57P operator intervention, 58 system errors
 */
export function transientDbError(error: unknown): TransientDbError | null {
  const code = dbError(error)?.code
  if (!code) return null
  if (code === '53100') return FULL
  if (code === '55P03' || code === '57014') return BUSY
  // 25P03: this process stalled inside a transaction. 25006: the server is a standby, or read-only during a failover.
  const isAway =
    CONNECTION_LOST.has(code) ||
    isSocketMissing(error) ||
    code === '25P03' ||
    isReadOnly(error) ||
    ['08', '53', '57P', '58'].some((part) => code.startsWith(part))
  return isAway ? AWAY : null
}

/** PostgreSQL removes the file of its Unix socket and makes it anew while it starts. */
function isSocketMissing(error: unknown): boolean {
  const { code, syscall } = ((error as { cause?: unknown })?.cause ?? error) as NodeJS.ErrnoException
  return code === 'ENOENT' && syscall === 'connect'
}

/** read_only_sql_transaction: the server is a standby, or does not accept changes. */
export const isReadOnly = (error: unknown): boolean => dbError(error)?.code === '25006'

const UNREACHABLE = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'ETIMEDOUT',
  'CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'WRONG_SESSION_ATTRS',
]

/** No server answers at the database's address. */
export const isUnreachable = (error: unknown): boolean => UNREACHABLE.includes((error as { code?: string }).code ?? '')

/** The lock timeout expired while another session held the lock. */
export const isLocked = (error: unknown): boolean => dbError(error)?.code === '55P03'

/**
 * A prepared statement no longer fits the tables, which a migration has changed: cached plan must not change result type (0A000), or a
 * statement that is gone (26000). The driver prepares it anew the next time.
 */
export const isStalePlan = (error: unknown): boolean => ['0A000', '26000'].includes(dbError(error)?.code ?? '')

const MAX_TRIES = 5

/** Repeats work after a deadlock or serialization failure. The database rolled the transaction back, so a retry is safe. */
export async function retryCollisions<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const code = dbError(error)?.code
      if (attempt >= MAX_TRIES || (code !== '40P01' && code !== '40001')) throw error
      await new Promise((again) => setTimeout(again, Math.random() * 20 * attempt))
    }
  }
}

/** SQLSTATE of a transaction that fails because something cached has changed (`raise_stale_cache`). */
export const STALE_CACHE = 'HL001'

/** The same condition, found by this process: the work starts again with what is stored now. */
export class StaleCache extends Error {
  readonly code = STALE_CACHE
}

/** Whether values of a row are at fault, and not the database or the statement. Source: PostgreSQL, Appendix A: 21 to 23, 54, P0, XX */
export const isOfRow = (error: unknown): boolean => /^(2[123]|54|P0|XX)/.test(dbError(error)?.code ?? '')

/**
 * Runs `work` on rows in one transaction of its own, which fails as a whole. Where a row is at fault, it runs on halves of the rows until that one
 * is alone, so the others go on.
 * @returns the rows at fault, with their errors
 * @throws other errors
 */
export async function isolateFailures<Row>(
  rows: readonly Row[],
  work: (rows: readonly Row[]) => Promise<unknown>,
): Promise<{ row: Row; error: unknown }[]> {
  try {
    await retryCollisions(() => work(rows))
    return []
  } catch (error) {
    const [row] = rows
    if (!isOfRow(error) || row === undefined) throw error
    if (rows.length === 1) return [{ row, error }]
    const half = rows.length >> 1
    return [...(await isolateFailures(rows.slice(0, half), work)), ...(await isolateFailures(rows.slice(half), work))]
  }
}
