/** Codes of the operating system, as the operator should read them. Anything else keeps its own message. */
const WORDS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the other side',
  EPIPE: 'connection closed by the other side',
  ETIMEDOUT: 'no answer to the connection attempt',
  EHOSTUNREACH: 'host unreachable',
  EHOSTDOWN: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENETDOWN: 'network down',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'host name cannot be resolved now',
  EADDRNOTAVAIL: 'address not available',
  EACCES: 'permission denied',
  ENOSPC: 'disk full',
}

/** What went wrong, in words for an operator and on one line. */
export function plainWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  if (code && WORDS[code]) return WORDS[code]
  // Libraries wrap the system's errors and keep only their text
  for (const [name] of error.message.matchAll(/\bE[A-Z_]{3,}\b/g)) if (WORDS[name]) return WORDS[name]
  return error.message.replace(/\s+/g, ' ').trim() || error.name
}
