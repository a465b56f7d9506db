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
 * The client's address. `X-Forwarded-For` counts only when the connection comes from a trusted proxy: the last address in it that is no
 * trusted proxy itself.
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

/** Whether a trusted proxy says that the client came to it by HTTPS. Of several hops the last counts: it is the proxy's own. */
export function isForwardedHttps(
  socketAddress: string | undefined,
  forwardedProto: string | null,
  trustedProxies: readonly string[],
): boolean {
  if (!forwardedProto || !socketAddress || !inRanges(socketAddress, trustedProxies)) return false
  return forwardedProto.split(',').at(-1)?.trim().toLowerCase() === 'https'
}

/** Whom an address stands for wherever clients are counted: of IPv6 a network of 64 bits, which one client has whole (RFC 6177). IPv4-mapped IPv6 counts as IPv4. */
export function clientOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const ip = ipaddr.process(address)
  return ip.kind() === 'ipv4' ? ip.toString() : `${(ip as ipaddr.IPv6).parts.slice(0, 4).join(':')}/64`
}
