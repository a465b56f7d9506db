/** An error's message, or its code where the message is empty: `connect ECONNREFUSED 127.0.0.1:1`. */
export function shortError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.errors.length > 0) return shortError(error.errors[0])
  return error.message || ('code' in error ? String(error.code) : error.name)
}
