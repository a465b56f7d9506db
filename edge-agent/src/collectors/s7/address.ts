import { type Decoder, TYPES } from './decode.ts'

/** Memory areas. Source: Wireshark's S7comm dissector */
export const AREAS = { counters: 0x1c, timers: 0x1d, inputs: 0x81, outputs: 0x82, markers: 0x83, blocks: 0x84 } as const
export type Area = (typeof AREAS)[keyof typeof AREAS]

/** One value in the memory of a PLC. */
export interface S7Address {
  area: Area
  /** number of the data block; 0 outside of data blocks */
  block: number
  /** first byte; for timers and counters their number */
  start: number
  /** bytes */
  length: number
  decode: Decoder
}

/** In German notation E and A for I and Q. */
const AREA_LETTERS: Record<string, Area> = {
  M: AREAS.markers,
  I: AREAS.inputs,
  E: AREAS.inputs,
  Q: AREAS.outputs,
  A: AREAS.outputs,
}
const LAST_BYTE = 65_535
const LAST_TIMER = 2_047
/** Characters of a text. Source: SIMATIC STEP 7, data types STRING and WSTRING */
const MAX_CHARS = 254

const DATA_BLOCK = /^DB(\d{1,5}),([A-Z0-9_]*[A-Z_])(\d{1,5})(?:\.(\d{1,3}))?$/
/** `MW20`, `M0.1`, and `M,REAL4` for types without a short name */
const MEMORY = /^([MIEQA])(,?)([A-Z0-9_]*[A-Z_])?(\d{1,5})(?:\.(\d{1,3}))?$/
const TIMER_OR_COUNTER = /^([TCZ])(\d{1,4})$/
/** The short names of types in these areas. D is a double word here, and a DI in a data block is one too. */
const SHORT_TYPES: Record<string, string> = { B: 'BYTE', W: 'WORD', I: 'INT', D: 'DWORD', DI: 'DINT', R: 'REAL' }

/**
 * Reads an address in capitals: `DB10,REAL4`, `DB10,X8.0` (bit 0 of byte 8), `DB10,STRING20.32` (at most 32 characters from byte 20), `MW20`,
 * `M0.1`, `M,REAL4`, `IB0`, `QD4`, `T5`, `C7`; in German notation E, A and Z for I, Q and C.
 * @returns null for what is no address
 */
export function parseAddress(text: string): S7Address | null {
  const timer = TIMER_OR_COUNTER.exec(text)
  if (timer) return timerOrCounter(timer[1] === 'T', Number(timer[2]))
  const block = DATA_BLOCK.exec(text)
  if (block) return inBytes(AREAS.blocks, Number(block[1]), block[2] as string, Number(block[3]), block[4])
  const memory = MEMORY.exec(text)
  if (!memory) return null
  const [, letter = '', comma, name, start, suffix] = memory
  const type = comma ? name : name === undefined ? 'X' : SHORT_TYPES[name]
  return type === undefined ? null : inBytes(AREA_LETTERS[letter] as Area, 0, type, Number(start), suffix)
}

function timerOrCounter(isTimer: boolean, number: number): S7Address | null {
  if (number > LAST_TIMER) return null
  const { length, decoder } = isTimer ? TYPES.S5TIME : TYPES.COUNTER
  return { area: isTimer ? AREAS.timers : AREAS.counters, block: 0, start: number, length, decode: decoder(0) }
}

/** @param suffix a bit, or the characters of a text */
function inBytes(area: Area, block: number, name: string, start: number, suffix: string | undefined): S7Address | null {
  const type = name === 'COUNTER' ? undefined : TYPES[name as keyof typeof TYPES]
  if (!type || block > LAST_BYTE) return null
  const number = suffix === undefined ? 0 : Number(suffix)
  if ((type.suffix === 'none') !== (suffix === undefined)) return null
  if (type.suffix === 'bit' && number > 7) return null
  if (type.suffix === 'characters' && (number < 1 || number > MAX_CHARS)) return null
  const length = type.suffix === 'characters' ? type.length + number * type.perCharacter : type.length
  return start + length > LAST_BYTE + 1 ? null : { area, block, start, length, decode: type.decoder(number) }
}
