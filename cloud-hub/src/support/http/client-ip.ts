import ipaddr from 'ipaddr.js'

/** Is the address inside one of the ranges (addresses or CIDR)? IPv4-mapped IPv6 counts as IPv4. */
export function inRanges(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.process(address)
  return ranges.some((range) => {
    const [base, bits] = range.includes('/') ? ipaddr.parseCIDR(range) : ([ipaddr.process(range), undefined] as const)
    if (base.kind() !== ip.kind()) return false
    return ip.match(base as never, (bits ?? (base.kind() === 'ipv4' ? 32 : 128)) as never)
  })
}

/**
 * The client's address. `X-Forwarded-For` counts only on connections from a trusted proxy. The client is then the last address in
 * it that is not a trusted proxy.
 */
export function clientIp(
  socketAddress: string | undefined,
  forwardedFor: string | null,
  trustedProxies: readonly string[],
): string {
  const peer = socketAddress && ipaddr.isValid(socketAddress) ? ipaddr.process(socketAddress).toString() : '127.0.0.1'
  if (!forwardedFor || !inRanges(peer, trustedProxies)) return peer
  const hops = forwardedFor.split(',').map((hop) => hop.trim())
  for (let i = hops.length - 1; i >= 0; i--) {
    const hop = hops[i] as string
    if (!ipaddr.isValid(hop)) return peer
    if (!inRanges(hop, trustedProxies)) return ipaddr.process(hop).toString()
  }
  return peer
}

/**
 * Whether a trusted proxy reports that the client used HTTPS. With several hops the last value counts, because the trusted proxy
 * wrote it.
 */
export function isForwardedHttps(
  socketAddress: string | undefined,
  forwardedProto: string | null,
  trustedProxies: readonly string[],
): boolean {
  if (!forwardedProto || !socketAddress || !inRanges(socketAddress, trustedProxies)) return false
  return forwardedProto.split(',').at(-1)?.trim().toLowerCase() === 'https'
}

/**
 * The key under which an address is counted: IPv6 as its /64 network, which one client owns (RFC 6177), IPv4-mapped IPv6 as IPv4.
 */
export function clientOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const ip = ipaddr.process(address)
  return ip.kind() === 'ipv4' ? ip.toString() : `${(ip as ipaddr.IPv6).parts.slice(0, 4).join(':')}/64`
}
