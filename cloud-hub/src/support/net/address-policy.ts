import ipaddr from 'ipaddr.js'

/** Where a call may go: `public` only by HTTPS or an industrial protocol, `allowlisted` (the operator's own list) also by plain HTTP. */
export type AddressClass = 'allowlisted' | 'public' | 'blocked'

/**
 * Judges addresses. Everything that is not plainly a host on the public Internet is refused, save for what the operator listed.
 * @param allow CIDR ranges, such as `127.0.0.0/8` or `fd00::/8`; a bare address is a range of one
 * @throws Error naming the entry that is no range
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

/** Public by range, yet answering for the machine's own cloud platform. Source: Microsoft Learn, "What is IP address 168.63.129.16?" */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16'])
/** The only part of IPv6 handed out to hosts (RFC 4291, 2.4); this also leaves out `::127.0.0.1`, which has no range of its own. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

function isPublic(address: Address): boolean {
  // 'unicast' means: in none of the special ranges (private, loopback, link-local, shared, reserved, multicast, NAT64, 6to4, Teredo, ...)
  if (address.range() !== 'unicast') return false
  if (PLATFORM_ADDRESSES.has(address.toString())) return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST)
}

/** Only the four-part decimal form counts for IPv4, since every reader agrees on it; an IPv4-mapped IPv6 address is judged as what it reaches. */
function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  // a zone (fe80::1%eth0) names an interface of ours
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
    throw new Error(`"${entry}" is no address range such as 10.20.0.0/16`)
  }
}

/** Whether a URL's host is an address and not a name; URL parsing has already written 0x7f.1 as 127.0.0.1. @returns the bare address or null */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(bare) ? bare : null
}
