import { agentTimestamps } from '@haltless/protocol'
import { z } from 'zod'
import { type CollectorContract, limitFaults, tagShape } from '../contract.ts'
import { parseAddress } from './address.ts'

/** Addresses as {@link parseAddress} reads them, in capitals. */
const Address = z
  .string()
  .max(40)
  .toUpperCase()
  .refine((address) => parseAddress(address) !== null, 'must be an address such as DB10,REAL4, M0.1, T5 or DB10,STRING20.32')

const Item = z.object({ address: Address, ...tagShape })

/** Settings of a Siemens S7 collector: S7-300, 400, 1200 and 1500 over ISO-on-TCP (RFC 1006). */
export const S7Config = z.object({
  rack: z.int().min(0).max(7).default(0),
  /** 1 for S7-1200 and 1500, usually 2 for S7-300 */
  slot: z.int().min(0).max(31).default(1),
  timeout_ms: z.int().min(100).max(60_000).default(2_000),
  timestamps: agentTimestamps('S7 devices'),
  items: z.array(Item).max(1_000).default([]),
})
export type S7Config = z.infer<typeof S7Config>

export const s7Contract = {
  label: 'Siemens S7',
  defaultPort: 102,
  config: S7Config,
  tagList: 'items',
  fileShape: { ...S7Config.shape, items: Item.strict().array().min(1).max(1_000) },
  configFaults: ({ items }) => limitFaults('items', items),
  machineProtocol: 'opc_ua',
  inBundle: ({ rack, slot, timeout_ms }) => ({ rack, slot, timeout_ms }),
  namesOf: () => [],
} as const satisfies CollectorContract<'items', S7Config>
