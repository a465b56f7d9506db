import type { ModbusConfig } from '@haltless/protocol'
import { metricName } from './add-nodes.ts'
import {
  LeftOutKeys,
  LISTED_FIELD_KEYS,
  MODBUS_KEYS,
  REQUEST_FIELD_KEYS,
  REQUEST_KEYS,
  WORKAROUND_KEYS,
} from './telegraf-keys.ts'
import { milliseconds, number, seconds, type Table, tables, text } from './telegraf-toml.ts'

export type Register = Partial<ModbusConfig['registers'][number]>

/** The registers of one input by unit, with the settings of its collectors. */
export interface ModbusInput {
  units: Map<number, Register[]>
  settings: Table
  notes: string[]
}

interface Field {
  table: string
  name: string
  type: string
  order: string
  address: number | undefined
  /** registers, where the field lists them or a string names its length */
  length: number | undefined
  bit: number | undefined
  scale: number | undefined
}

/** @param machineOf the machine that tags name, if any */
export function readModbus(name: string, input: Table, machineOf: (tags: unknown) => string | undefined): ModbusInput {
  const reader = new ModbusReader(`modbus ${name}`, machineOf)
  const type = text(input.configuration_type) ?? 'register'
  const own = number(input.slave_id) ?? 1
  if (MODBUS_KEYS[type] === undefined) reader.notes.push(`modbus ${name}: configuration_type ${type} is unknown`)
  else if (type === 'register') reader.lists(input, own)
  else reader.requests(type, tables(input[type]), own)
  const workarounds = tables(input.workarounds)[0] ?? {}
  reader.left.check(input, MODBUS_KEYS[type] ?? {})
  reader.left.check(workarounds, WORKAROUND_KEYS, 'workarounds.')
  reader.left.checkTags(input.tags, 'tags.')
  const pause = seconds(workarounds.pause_between_requests)
  const [maxWords, maxBits] = [
    number(workarounds.max_word_registers_per_request),
    number(workarounds.max_bit_registers_per_request),
  ]
  return {
    units: reader.units,
    settings: {
      ...(text(input.transmission_mode) === 'RTUoverTCP' && { framing: 'rtu' }),
      timeout_ms: milliseconds(seconds(input.timeout) ?? 1, 50),
      ...(pause && { pause_ms: milliseconds(pause, 0) }),
      ...(maxWords && { max_registers: Math.min(125, maxWords) }),
      ...(maxBits && { max_coils: Math.min(2_000, maxBits) }),
    },
    notes: [...reader.notes, ...reader.left.notes(`modbus ${name}`)],
  }
}

class ModbusReader {
  readonly units = new Map<number, Register[]>()
  readonly notes: string[] = []
  readonly left = new LeftOutKeys()
  readonly #input: string
  readonly #machineOf: (tags: unknown) => string | undefined

  constructor(input: string, machineOf: (tags: unknown) => string | undefined) {
    this.#input = input
    this.#machineOf = machineOf
  }

  /** The configuration type `register`: each field has the list of its addresses. */
  lists(input: Table, unit: number): void {
    for (const [key, table] of Object.entries(REGISTER_LISTS))
      for (const field of tables(input[key])) {
        this.left.check(field, LISTED_FIELD_KEYS, `${key}.`)
        const addresses = [field.address].flat().map(number)
        const first = addresses[0]
        const isRun = addresses.every((address, i) => address !== undefined && address === (first as number) + i)
        const name = text(field.name) ?? 'value'
        if (!isRun) this.notes.push(`${this.#input}: ${name} needs addresses that follow each other; left out`)
        else
          this.#add(unit, field, {
            table,
            name,
            type: text(field.data_type) ?? '',
            order: text(field.byte_order) ?? 'ABCD',
            address: first,
            length: addresses.length,
          })
      }
  }

  /** The types `request`, with one register type for all fields, and `metric`, where each field has its own. */
  requests(path: string, requests: readonly Table[], own: number): void {
    for (const request of requests) {
      this.left.check(request, REQUEST_KEYS, `${path}.`)
      this.left.checkTags(request.tags, `${path}.tags.`)
      const machine = this.#machineOf(request.tags)
      for (const field of tables(request.fields)) {
        this.left.check(field, REQUEST_FIELD_KEYS, `${path}.fields.`)
        if (field.omit === true) continue
        this.#add(
          number(request.slave_id) ?? own,
          field,
          {
            table: text(field.register) ?? text(request.register) ?? 'holding',
            name: text(field.name) ?? 'value',
            type: text(field.type) ?? '',
            order: text(request.byte_order) ?? 'ABCD',
            address: number(field.address),
            length: number(field.length),
          },
          machine,
        )
      }
    }
  }

  #add(unit: number, { bit, scale }: Table, field: Omit<Field, 'bit' | 'scale'>, machine?: string): void {
    const register = this.#register({ ...field, bit: number(bit), scale: number(scale) })
    if (!register) return
    const tagged = { ...register, ...(machine !== undefined && { machine_identifier: machine }) }
    this.units.set(unit, [...(this.units.get(unit) ?? []), tagged])
  }

  #register({ table, name, type, order, address, length, bit, scale }: Field): Register | null {
    const isBitTable = table === 'coil' || table === 'discrete'
    if (isBitTable && address !== undefined)
      return { table: table as Register['table'], address, data_type: 'bool', metric_name: metricName([name]), unit: 'bool' }
    const dataType = dataTypeOf(type, length)
    const byteOrder = ORDERS[order]
    if ((table !== 'holding' && table !== 'input') || address === undefined || dataType === null || byteOrder === undefined) {
      const odd = dataType !== null && byteOrder === undefined ? `byte order ${order}` : type || table
      this.notes.push(`${this.#input}: ${name} (${odd}) has no equal here; left out`)
      return null
    }
    const isBit = type === 'BIT'
    const isScaled = scale !== undefined && scale !== 1 && scale !== 0
    if (isScaled && (isBit || dataType === 'string')) this.left.add('scale', 'Telegraf does not scale this type')
    if (bit !== undefined && !isBit) this.left.add('bit', 'Telegraf reads the whole value of this type')
    if (type === 'FLOAT32' && length !== undefined)
      this.notes.push(`${this.#input}: check ${name}: FLOAT32 is IEEE 754 in Telegraf now, and was an integer in old versions`)
    if (dataType === 'string')
      this.notes.push(`${this.#input}: ${name} is a text: it becomes readings where it holds a number, or where values names it`)
    return {
      table,
      address,
      data_type: dataType,
      ...(byteOrder !== 'ABCD' && { byte_order: byteOrder }),
      ...(dataType === 'string' && { length }),
      ...(isBit && { bit: bit ?? 0 }),
      ...(isScaled && !isBit && dataType !== 'string' && { scale }),
      metric_name: metricName([name]),
      unit: isBit ? 'bool' : 'unknown',
    }
  }
}

const REGISTER_LISTS = {
  holding_registers: 'holding',
  input_registers: 'input',
  coils: 'coil',
  discrete_inputs: 'discrete',
} as const
/** All names of the four orders, for values of one, two, three and four registers. Source: its configuration.go, `normalizeByteOrder` */
const ORDERS: Record<string, Register['byte_order']> = {
  ...Object.fromEntries(['AB', 'ABCD', 'ABCDEF', 'ABCDEFGH', 'MSW', 'MSW-BE'].map((name) => [name, 'ABCD' as const])),
  ...Object.fromEntries(['BA', 'DCBA', 'FEDCBA', 'HGFEDCBA', 'LSW', 'LSW-LE'].map((name) => [name, 'DCBA' as const])),
  ...Object.fromEntries(['BADC', 'BADCFE', 'BADCFEHG', 'MSW-LE'].map((name) => [name, 'BADC' as const])),
  ...Object.fromEntries(['CDAB', 'EFCDAB', 'GHEFCDAB', 'LSW-BE'].map((name) => [name, 'CDAB' as const])),
}
const TYPES: Record<string, Register['data_type']> = {
  INT8L: 'int8_low',
  INT8H: 'int8_high',
  UINT8L: 'uint8_low',
  UINT8H: 'uint8_high',
  INT16: 'int16',
  UINT16: 'uint16',
  INT32: 'int32',
  UINT32: 'uint32',
  INT64: 'int64',
  UINT64: 'uint64',
  'FLOAT32-IEEE': 'float32',
  'FLOAT64-IEEE': 'float64',
  FLOAT64: 'float64',
  BIT: 'uint16',
}
const FIXED: Record<number, Register['data_type']> = { 1: 'int16', 2: 'int32', 3: 'int48', 4: 'int64' }
const UFIXED: Record<number, Register['data_type']> = { 1: 'uint16', 2: 'uint32', 3: 'uint48', 4: 'uint64' }

/** FIXED and UFIXED are integers of as many registers as are listed. @param count undefined: the type says it */
function dataTypeOf(type: string, count: number | undefined): Register['data_type'] | null {
  if (type === 'STRING') return count !== undefined && count >= 1 && count <= 125 ? 'string' : null
  if (type === 'FLOAT32') return count === 1 || count === 4 ? (UFIXED[count] as Register['data_type']) : 'float32'
  if (type === 'FIXED') return FIXED[count ?? 1] ?? null
  if (type === 'UFIXED') return UFIXED[count ?? 1] ?? null
  return TYPES[type] ?? null
}
