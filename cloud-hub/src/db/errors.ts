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

/** The database is away, restarting, or cut the connection: the statement's outcome is unknown, and asking again is right. */
export function isDatabaseAway(error: unknown): boolean {
  const code = dbError(error)?.code
  if (!code) return false
  return (
    [
      'ECONNREFUSED',
      'ECONNRESET',
      'EPIPE',
      'ETIMEDOUT',
      'CONNECTION_CLOSED',
      'CONNECTION_ENDED',
      'CONNECTION_DESTROYED',
      'CONNECT_TIMEOUT',
    ].includes(code) ||
    code.startsWith('08') ||
    code.startsWith('57P') ||
    code === '53300'
  )
}

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
