import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { fault } from '@haltless/protocol'
import { z } from 'zod'
import { FaultError } from '../support/fault-error.ts'

const Cidr = z
  .string()
  .regex(/^[0-9a-fA-F.:]+\/\d{1,3}$/, 'must be a network such as 10.1.0.0/16')
  .refine((text) => networkOf(text) !== null, 'must be a network such as 10.1.0.0/16')

/** `remote` in agent.yaml: what the hub may have this agent poll. */
export const RemoteFile = z.strictObject({
  sources: z.enum(['on', 'off']).default('on'),
  allow: z
    .array(z.strictObject({ network: Cidr, ports: z.array(z.int().min(1).max(65_535)).min(1).max(100).optional() }))
    .max(200)
    .optional(),
})

/** Resolves a host of a source. @throws Error in words where it must not be dialled */
export type HostResolver = (host: string, port: number) => Promise<string>

export interface RemoteAccess {
  /** whether the hub may push sources at all */
  isOn: boolean
  /** for all collectors, because those of one host share its connection; undefined: no bounds */
  resolveHost: HostResolver | undefined
  /** devices that other settings name are reachable too */
  allowDevices(collectors: readonly (Device | undefined)[]): void
}

type Device = { host: string; port: number }

/**
 * What a push may reach: the networks and ports that agent.yaml allows, and the devices that it names itself. The address that was checked is
 * the one that is dialled.
 * @param own hosts and ports of the collectors in agent.yaml
 */
export function remoteAccess(
  { sources, allow }: z.infer<typeof RemoteFile>,
  own: readonly (Device | undefined)[],
  resolve: (host: string) => Promise<string[]> = addressesOf,
): RemoteAccess {
  const isOn = sources === 'on'
  if (allow === undefined) return { isOn, resolveHost: undefined, allowDevices: () => {} }
  const keyOf = (host: string, port: number) => `${host.toLowerCase()} ${port}`
  const known = new Set<string>()
  const allowDevices = (devices: readonly (Device | undefined)[]) => {
    for (const device of devices) if (device) known.add(keyOf(device.host, device.port))
  }
  allowDevices(own)
  const networks = allow.map(({ network, ports }) => ({ list: networkOf(network) as BlockList, ports }))
  const isAllowed = (address: string, port: number) =>
    networks.some(({ list, ports }) => (ports === undefined || ports.includes(port)) && list.check(address, familyOf(address)))
  return {
    isOn,
    allowDevices,
    async resolveHost(host, port) {
      if (known.has(keyOf(host, port))) return host
      const address = (await resolve(host)).find((found) => isAllowed(found, port))
      if (address === undefined) throw new FaultError(fault('address_not_allowed', { host, port }))
      return address
    },
  }
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

/** @returns null for what is no network */
function networkOf(text: string): BlockList | null {
  const [address, bits] = text.split('/') as [string, string]
  try {
    const list = new BlockList()
    list.addSubnet(address, Number(bits), familyOf(address))
    return list
  } catch {
    return null
  }
}
