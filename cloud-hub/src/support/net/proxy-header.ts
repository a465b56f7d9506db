import ipaddr from 'ipaddr.js'

/** Source: The PROXY protocol, versions 1 & 2 (2020/03/05), 2.2; numbers are big-endian. */
const SIGNATURE = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a])
/** Signature, version and command, family and transport, length of the rest. */
export const FIXED_BYTES = 16
const VERSION = 2
const [LOCAL, PROXY] = [0, 1]
/** TCP over IPv4 and IPv6: bytes of one address. */
const ADDRESS_BYTES = new Map([
  [0x11, 4],
  [0x21, 16],
])
/** The protocol allows 65,535 bytes; addresses need 36 and what proxies add, such as the name in a certificate, a few hundred. */
export const MAX_REST_BYTES = 2_048

/** A header is not one, or says what a hub does not accept; the connection ends. */
export class ProxyHeaderError extends Error {}

/** The client of a connection, as its proxy names it; null: the connection is the proxy's own, such as a health check. */
export type ProxiedClient = { address: string; port: number } | null

/**
 * Checks the fixed part as far as it has arrived, so that another protocol is refused at its first bytes.
 * @returns how many bytes follow it; null: more of the fixed part must come
 * @throws ProxyHeaderError
 */
export function restLength(begin: Buffer): number | null {
  const known = Math.min(begin.length, SIGNATURE.length)
  if (!begin.subarray(0, known).equals(SIGNATURE.subarray(0, known)))
    throw new ProxyHeaderError('it does not begin with the signature')
  const version = begin[12]
  if (version !== undefined && version >> 4 !== VERSION)
    throw new ProxyHeaderError(`its version is ${version >> 4}, not ${VERSION}`)
  if (version !== undefined && (version & 15) > PROXY) throw new ProxyHeaderError(`its command is ${version & 15}`)
  if (begin.length < FIXED_BYTES) return null
  const length = begin.readUInt16BE(14)
  if (length > MAX_REST_BYTES) throw new ProxyHeaderError(`it has ${length} bytes, more than ${MAX_REST_BYTES}`)
  return length
}

/**
 * Reads a header whose fixed part `restLength` has accepted. What follows the addresses is ignored.
 * @throws ProxyHeaderError
 */
export function readClient(header: Buffer): ProxiedClient {
  if (((header[12] as number) & 15) === LOCAL) return null
  const family = header[13] as number
  const bytes = ADDRESS_BYTES.get(family)
  if (!bytes)
    throw new ProxyHeaderError(
      `its family and transport are 0x${family.toString(16).padStart(2, '0')}, not TCP over IPv4 or IPv6`,
    )
  // source and destination, and the two ports
  if (header.length < FIXED_BYTES + 2 * bytes + 4) throw new ProxyHeaderError('it ends within its addresses')
  const address = ipaddr.fromByteArray([...header.subarray(FIXED_BYTES, FIXED_BYTES + bytes)]).toString()
  return { address, port: header.readUInt16BE(FIXED_BYTES + 2 * bytes) }
}
