import ipaddr from 'ipaddr.js'

/**
 * The class of an address. Calls to `public` addresses need HTTPS or an industrial protocol; `allowlisted` ones, which the
 * operator lists, also allow plain HTTP.
 */
export type AddressClass = 'allowlisted' | 'public' | 'blocked'

/**
 * Classifies addresses. An address is blocked unless it is clearly a host on the public Internet or the operator allowlisted it.
 * @param allow CIDR ranges, such as `127.0.0.0/8` or `fd00::/8`; a bare address is a range of one
 * @throws Error with the entry that is not a range
 */
export function addressPolicy(allow: readonly string[]): (address: string) => AddressClass {
  const listed = allow.map(parseRange)
  return (text) => {
    const address = parseAddress(text)
    if (!address) return 'blocked'
    if (listed.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))) return 'allowlisted'
    return isPublic(address) ? 'public' : 'blocked'
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Public by range, but served by the machine's own cloud platform. Source: Microsoft Learn, "What is IP address 168.63.129.16?"
 */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16'])
/** The only IPv6 range assigned to hosts (RFC 4291, 2.4); it excludes `::127.0.0.1`, which has no range of its own. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

function isPublic(address: Address): boolean {
  // 'unicast' means: in none of the special ranges (private, loopback, link-local, shared, reserved, multicast, NAT64, 6to4, Teredo, ...)
  if (address.range() !== 'unicast') return false
  if (PLATFORM_ADDRESSES.has(address.toString())) return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST)
}

/**
 * Accepts IPv4 only in four-part decimal form, which all parsers read alike. An IPv4-mapped IPv6 address counts as its IPv4
 * address.
 */
function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  // A zone (fe80::1%eth0) names a local interface.
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return null
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

function parseRange(text: string): [Address, number] {
  const entry = text.trim()
  try {
    if (entry.includes('/')) return ipaddr.parseCIDR(entry)
    const address = ipaddr.parse(entry)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  } catch {
    throw new Error(`"${entry}" is not an address range such as 10.20.0.0/16`)
  }
}

/** @returns the bare address when a URL's host is one, else null; URL parsing has already written 0x7f.1 as 127.0.0.1 */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(bare) ? bare : null
}
