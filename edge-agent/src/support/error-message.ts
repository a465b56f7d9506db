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

/** Codes about a file, whose own words repeat its path. */
const FILE_WORDS: Record<string, string> = {
  EROFS: 'the disk is read-only',
  EPERM: 'permission denied',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'it exists already',
}

const CA_FILE = 'if it is your own, name its authority in uplink.ca_file'
/** Codes of TLS, whose own words are about Node.js. */
const TLS_WORDS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `the certificate is self-signed and not trusted; ${CA_FILE}`,
  SELF_SIGNED_CERT_IN_CHAIN: `the certificate comes from an authority that is not trusted; ${CA_FILE}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the certificate comes from an authority that is not trusted; ${CA_FILE}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the certificate comes from an authority that is not trusted; ${CA_FILE}`,
  CERT_HAS_EXPIRED: 'the certificate has expired, or the clock of this computer is wrong',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet, or the clock of this computer is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is that of another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the other side does not speak TLS; is the address right?',
  EPROTO: 'the other side does not speak TLS as we do; is the address right?',
}

/** What went wrong, in words for an operator and on one line. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  const known = code && (WORDS[code] ?? TLS_WORDS[code])
  if (known) return known
  // Libraries wrap the system's errors and keep only their text
  for (const [name] of error.message.matchAll(/\bE[A-Z_]{3,}\b/g)) if (WORDS[name]) return WORDS[name]
  return error.message.replace(/\s+/g, ' ').trim() || error.name
}

/** {@link errorMessage} about a file that the caller names. */
export const fileErrorMessage = (error: unknown): string =>
  FILE_WORDS[(error as NodeJS.ErrnoException | null)?.code ?? ''] ?? errorMessage(error)
