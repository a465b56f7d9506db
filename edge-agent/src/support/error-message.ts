import { type Fault, fault } from '@haltless/protocol'
import { FaultError } from './fault-error.ts'

/** Codes of the operating system. Anything else keeps its own message. */
const CODES = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_closed',
  ETIMEDOUT: 'connection_timeout',
  EHOSTUNREACH: 'host_unreachable',
  EHOSTDOWN: 'host_unreachable',
  ENETUNREACH: 'network_unreachable',
  ENETDOWN: 'network_down',
  ENOTFOUND: 'host_name_unknown',
  EAI_AGAIN: 'host_name_unresolved',
  EADDRNOTAVAIL: 'address_not_available',
  EACCES: 'permission_denied',
  ENOSPC: 'disk_full',
} as const

/** Codes about a file, whose own words repeat its path. */
const FILE_CODES = {
  EROFS: 'disk_read_only',
  EPERM: 'permission_denied',
  ENOENT: 'path_missing',
  ENOTDIR: 'path_part_is_no_folder',
  EISDIR: 'path_is_folder',
  EEXIST: 'path_exists',
} as const

/** Codes of TLS about an authority that a person may have to name. */
const AUTHORITY_CODES = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_untrusted',
} as const
/** Other codes of TLS, whose own words are about Node.js. */
const TLS_CODES = {
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_other_host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_not_spoken',
  EPROTO: 'tls_spoken_otherwise',
} as const

const has = <Codes extends object>(codes: Codes, code: PropertyKey | undefined): code is keyof Codes =>
  code !== undefined && Object.hasOwn(codes, code)

/** What went wrong, for an operator. @param caSetting the setting that names the authorities of the connection */
export function errorFault(error: unknown, caSetting = 'uplink.ca_file'): Fault {
  if (error instanceof FaultError) return error.fault
  if (!(error instanceof Error)) return fault('unexpected_error', { text: String(error) })
  const { code } = error as NodeJS.ErrnoException
  if (has(CODES, code)) return fault(CODES[code])
  if (has(AUTHORITY_CODES, code)) return fault(AUTHORITY_CODES[code], { setting: caSetting })
  if (has(TLS_CODES, code)) return fault(TLS_CODES[code])
  // Libraries wrap the system's errors and keep only their text
  for (const [name] of error.message.matchAll(/\bE[A-Z_]{3,}\b/g)) if (has(CODES, name)) return fault(CODES[name])
  return fault('unexpected_error', { text: error.message.replace(/\s+/g, ' ').trim() || error.name })
}

/** {@link errorFault} about a file that the caller names. */
export function fileErrorFault(error: unknown): Fault {
  const code = (error as NodeJS.ErrnoException | null)?.code
  return has(FILE_CODES, code) ? fault(FILE_CODES[code]) : errorFault(error)
}

/** What went wrong, in words for an operator and on one line. */
export const errorMessage = (error: unknown): string => errorFault(error).detail

/** {@link errorMessage} about a file that the caller names. */
export const fileErrorMessage = (error: unknown): string => fileErrorFault(error).detail
