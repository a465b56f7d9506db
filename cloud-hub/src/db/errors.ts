/** SQLSTATE and constraint of a database error, through drizzle's wrapper; null when it is no database error. */
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

/** Why something could not be done now: it is nobody's fault who asked, and asking again later is right. */
export interface TransientDbError {
  /** stable, snake_case */
  code: 'database_away' | 'database_full' | 'database_busy'
  /** a sentence for whoever asked */
  detail: string
}

const AWAY: TransientDbError = {
  code: 'database_away',
  detail: 'The database is not reachable right now; try again in a few seconds.',
}
const FULL: TransientDbError = {
  code: 'database_full',
  detail: 'The database has no room left to store this; its operator has to make some. Try again later.',
}
const BUSY: TransientDbError = {
  code: 'database_busy',
  detail: 'The database is busy with what this would change or read; try again in a few seconds.',
}

const CONNECTION_LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
])

/**
 * What in the database's state hinders a statement; null when the statement itself is at fault. The outcome of a statement whose connection
 * was lost is unknown, so it must be one that may be repeated.
 * Source: PostgreSQL, Appendix A (error codes): 08 connections, 53 resources, 57P operator intervention, 58 system errors
 */
export function transientDbError(error: unknown): TransientDbError | null {
  const code = dbError(error)?.code
  if (!code) return null
  if (code === '53100') return FULL
  if (code === '55P03' || code === '57014') return BUSY
  // 25P03: this process hung in the middle of a transaction
  const isAway = CONNECTION_LOST.has(code) || code === '25P03' || ['08', '53', '57P', '58'].some((part) => code.startsWith(part))
  return isAway ? AWAY : null
}

const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'CONNECT_TIMEOUT', 'EHOSTUNREACH']

/** Nobody answers where the database should be. */
export const isUnreachable = (error: unknown): boolean => UNREACHABLE.includes((error as { code?: string }).code ?? '')

/** A lock was not granted in time: somebody else keeps it. */
export const isLocked = (error: unknown): boolean => dbError(error)?.code === '55P03'

const MAX_TRIES = 5

/** Deadlocks and serialization failures are nobody's fault: the database undid the transaction, and the same work goes again. */
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
