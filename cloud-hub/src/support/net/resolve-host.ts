import { lookup as systemLookup } from 'node:dns/promises'
import { type Fault, fault } from '@haltless/protocol/faults'
import { type AddressClass, literalAddress } from './address-policy.ts'

export interface HostAddress {
  address: string
  family: 4 | 6
}
/** All addresses of a name. */
export type Lookup = (host: string) => Promise<HostAddress[]>

class UnusableHost extends Error {
  /** why; it names no internal address */
  readonly fault: Fault
  constructor(found: Fault) {
    super(found.detail)
    this.fault = found
  }
}
/** The target is not allowed. */
export class BlockedTarget extends UnusableHost {
  override name = 'BlockedTarget'
}
/** The name has no address, or DNS did not answer. */
export class UnknownHost extends UnusableHost {
  override name = 'UnknownHost'
}

/**
 * Resolves a host to addresses that may be called. The caller must dial one of these and never resolve the name again, because
 * DNS may answer differently then.
 * @returns at least one
 * @throws BlockedTarget, UnknownHost
 */
export type ResolveHost = (host: string, accept: (addressClass: AddressClass) => boolean) => Promise<HostAddress[]>

export function hostResolver(classify: (address: string) => AddressClass, lookup: Lookup = lookupAll): ResolveHost {
  // One lookup at a time per name: a slow name server would occupy the few lookup threads of the process.
  const pending = new Map<string, Promise<HostAddress[]>>()
  const ask = (name: string) => {
    let answer = pending.get(name)
    if (!answer) {
      answer = lookup(name).finally(() => pending.delete(name))
      pending.set(name, answer)
    }
    return answer
  }
  return async (host, accept) => {
    const literal = literalAddress(host)
    const found = literal
      ? [{ address: literal, family: literal.includes(':') ? (6 as const) : (4 as const) }]
      : await named(host, ask)
    const accepted = found.filter(({ address }) => accept(classify(address)))
    if (accepted.length === 0) throw new BlockedTarget(fault('http_host_not_public', { host }))
    return accepted
  }
}

async function named(host: string, ask: Lookup): Promise<HostAddress[]> {
  if (!isHostName(host)) throw new BlockedTarget(fault('http_no_host_name', { host }))
  try {
    const found = await ask(host)
    if (found.length > 0) return found
  } catch {
    // The UnknownHost below reports it.
  }
  throw new UnknownHost(fault('http_name_unresolved', { host }))
}

/** Letters, digits, `-`, `_` and dots between them, at most 253. Source: RFC 1123, 2.1; the underscore is common in private DNS */
export function isHostName(host: string): boolean {
  return host.length <= 253 && /^[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*\.?$/i.test(host)
}

const lookupAll: Lookup = async (host) => (await systemLookup(host, { all: true })) as HostAddress[]
