import { z } from 'zod'
import { type CollectorContract, tagShape } from '../contract.ts'

/**
 * Addresses that hold a number or a bit: `DB10,REAL4`, `DB10,X8.0` (bit 0 of byte 8), `MW20`, `M0.1`, `IB0`, `QD4`; in German notation E and A
 * for I and Q. Source: nodes7 0.3.18, README
 */
const DATA_BLOCK = /^DB\d{1,5},(?:X\d{1,5}\.[0-7]|(?:BYTE|B|INT|I|WORD|W|DINT|DI|DWORD|DW|REAL|R|LREAL|LR)\d{1,5})$/
const MEMORY = /^[MIEQA](?:\d{1,5}\.[0-7]|(?:B|W|I|D|DI|R)\d{1,5})$/
const Address = z
  .string()
  .max(40)
  .toUpperCase()
  .refine(
    (address) => DATA_BLOCK.test(address) || MEMORY.test(address),
    'must be an address of a number or bit such as DB10,REAL4 or M0.1',
  )

const Item = z.object({ address: Address, ...tagShape })

/** Settings of a Siemens S7 collector: S7-300, 400, 1200 and 1500 over ISO-on-TCP (RFC 1006). */
export const S7Config = z.object({
  rack: z.int().min(0).max(7).default(0),
  /** 1 for S7-1200 and 1500, usually 2 for S7-300 */
  slot: z.int().min(0).max(31).default(1),
  timeout_ms: z.int().min(100).max(60_000).default(2_000),
  items: z.array(Item).max(1_000).default([]),
})
export type S7Config = z.infer<typeof S7Config>

export const s7Contract = {
  label: 'Siemens S7',
  defaultPort: 102,
  config: S7Config,
  tagList: 'items',
  fileShape: { ...S7Config.shape, items: Item.strict().array().min(1).max(1_000) },
  configFaults: () => [],
  machineProtocol: 'opc_ua',
  inBundle: ({ rack, slot, timeout_ms }) => ({ rack, slot, timeout_ms }),
  namesOf: () => [],
} as const satisfies CollectorContract<'items', S7Config>
