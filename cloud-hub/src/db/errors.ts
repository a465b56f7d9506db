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
