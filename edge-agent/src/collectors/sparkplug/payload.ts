import { unzipSync } from 'node:zlib'
import { fault } from '@haltless/protocol'
import { NoNumber } from '../values-in-text.ts'

/** A payload as far as this agent reads it. Source: Eclipse Sparkplug 3.0.0, sparkplug_b.proto */
export interface Payload {
  /** Unix ms; null for none */
  timestamp: number | null
  /** 0 to 255; null for none, as in deaths */
  seq: number | null
  metrics: Metric[]
}

export interface Metric {
  /** '' where only the alias names it */
  name: string
  alias: number | null
  timestamp: number | null
  /** null: the one of its birth */
  datatype: number | null
  isHistorical: boolean
  isNull: boolean
  /** 0 bad, 192 good, 500 stale; null for none */
  quality: number | null
  /** as it stands in the message, before its data type is known */
  value: RawValue | null
}

type RawValue =
  | { kind: 'integer'; bits: bigint }
  | { kind: 'number'; number: number }
  | { kind: 'boolean'; isTrue: boolean }
  | { kind: 'text'; text: string }
  | null

/** Wire types. Source: protobuf.dev, encoding */
const [VARINT, FIXED64, LENGTH, FIXED32] = [0, 1, 2, 5]

/** Data types. Source: Eclipse Sparkplug 3.0.0 */
const [INT8, INT16, INT32, INT64, UINT64, FLOAT, DOUBLE, BOOLEAN, DATETIME] = [1, 2, 3, 4, 8, 9, 10, 11, 13]
const [STRING, TEXT] = [12, 14]
const TYPE_NAMES: Record<number, string> = {
  12: 'a text',
  13: 'a date',
  14: 'a text',
  15: 'an identifier',
  16: 'a table',
  17: 'bytes',
  18: 'a file',
  19: 'a template',
}

interface Field {
  number: number
  wire: number
  /** of a varint */
  bits: bigint
  /** of all others */
  bytes: Buffer
}

/** Metrics of a message, and properties of a metric. */
const METRICS_MAX = 50_000
const PROPERTIES_MAX = 100
/** What a compressed payload may become, bytes. */
const UNPACKED_MAX = 8 * 1_048_576

/** Reads a payload. @throws Error for bytes that are none */
export function readPayload(bytes: Buffer, isUnpacked = false): Payload {
  const payload: Payload = { timestamp: null, seq: null, metrics: [] }
  let isCompressed = false
  let body: Buffer | null = null
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) payload.timestamp = toNumber(field.bits)
    else if (field.number === 2 && field.wire === LENGTH) {
      if (payload.metrics.push(readMetric(field.bytes)) > METRICS_MAX) throw new Error(`it has more than ${METRICS_MAX} metrics`)
    } else if (field.number === 3) payload.seq = Number(field.bits & 0xffn)
    else if (field.number === 4) isCompressed = field.bytes.toString('utf8') === 'SPBV1.0_COMPRESSED'
    else if (field.number === 5) body = field.bytes
  }
  if (!isCompressed || !body || isUnpacked) return payload
  const { timestamp, metrics, seq } = readPayload(unzipSync(body, { maxOutputLength: UNPACKED_MAX }), true)
  return { timestamp, metrics, seq: payload.seq ?? seq }
}

function readMetric(bytes: Buffer): Metric {
  const metric: Metric = {
    name: '',
    alias: null,
    timestamp: null,
    datatype: null,
    isHistorical: false,
    isNull: false,
    quality: null,
    value: null,
  }
  for (const { number, wire, bits, bytes: content } of fieldsOf(bytes)) {
    if (number === 1) metric.name = content.toString('utf8')
    else if (number === 2) metric.alias = toNumber(bits)
    else if (number === 3) metric.timestamp = toNumber(bits)
    else if (number === 4) metric.datatype = Number(bits)
    else if (number === 5) metric.isHistorical = bits !== 0n
    else if (number === 7) metric.isNull = bits !== 0n
    else if (number === 9 && wire === LENGTH) metric.quality = qualityIn(content)
    else if (number === 10 || number === 11) metric.value = { kind: 'integer', bits }
    else if (number === 12 && wire === FIXED32) metric.value = { kind: 'number', number: content.readFloatLE() }
    else if (number === 13 && wire === FIXED64) metric.value = { kind: 'number', number: content.readDoubleLE() }
    else if (number === 14) metric.value = { kind: 'boolean', isTrue: bits !== 0n }
    else if (number === 15 && wire === LENGTH) metric.value = { kind: 'text', text: content.toString('utf8') }
  }
  return metric
}

/** The property `Quality` of a metric. */
function qualityIn(bytes: Buffer): number | null {
  const keys: string[] = []
  const values: Buffer[] = []
  for (const { number, bytes: content } of fieldsOf(bytes)) {
    if (number === 1) keys.push(content.toString('utf8'))
    else values.push(content)
    if (keys.length + values.length > 2 * PROPERTIES_MAX) return null
  }
  const at = keys.indexOf('Quality')
  if (at < 0) return null
  for (const { number, bits } of fieldsOf(values[at] ?? Buffer.alloc(0))) if (number === 3 || number === 4) return Number(bits)
  return null
}

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0
  const varint = (): bigint => {
    let bits = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) break
      bits |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, bits)
    }
    throw new Error('a number has no end')
  }
  const take = (length: number): Buffer => {
    if (length > bytes.length - at) throw new Error('it ends too early')
    at += length
    return bytes.subarray(at - length, at)
  }
  const none = Buffer.alloc(0)
  while (at < bytes.length) {
    const tag = varint()
    const [number, wire] = [Number(tag >> 3n), Number(tag & 7n)]
    if (wire === VARINT) yield { number, wire, bits: varint(), bytes: none }
    else if (wire === FIXED64) yield { number, wire, bits: 0n, bytes: take(8) }
    else if (wire === LENGTH) yield { number, wire, bits: 0n, bytes: take(Number(varint())) }
    else if (wire === FIXED32) yield { number, wire, bits: 0n, bytes: take(4) }
    else throw new Error('it is no Sparkplug B payload')
  }
}

/** Timestamps and aliases: what is beyond 2^53 is none that we could name. */
const toNumber = (bits: bigint): number | null => (bits <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bits) : null)

/** The text that a metric of the types String and Text holds; undefined for others. @param datatype of the metric, or of its birth */
export const textOfMetric = ({ value }: Metric, datatype: number): string | undefined =>
  value?.kind === 'text' && (datatype === STRING || datatype === TEXT) ? value.text : undefined

/** The number that a metric holds. @param datatype of the metric, or of its birth */
export function numberOfMetric({ value }: Metric, datatype: number): number | NoNumber {
  const name = TYPE_NAMES[datatype]
  if (name !== undefined) return new NoNumber(fault('sparkplug_metric_type', { type: name }))
  if (value === null || value.kind === 'text' || datatype < INT8 || datatype > DATETIME)
    return new NoNumber(fault('sparkplug_no_number'))
  if (value.kind === 'boolean') return Number(value.isTrue)
  if (value.kind === 'number') return Number.isFinite(value.number) ? value.number : new NoNumber(fault('value_not_finite'))
  if (datatype === BOOLEAN) return Number(value.bits !== 0n)
  if (datatype === FLOAT || datatype === DOUBLE) return new NoNumber(fault('sparkplug_other_type'))
  // publishers write a negative number in 8, 16, 32 or 64 bits
  const width = datatype === INT8 ? 8 : datatype === INT16 ? 16 : datatype === INT32 ? 32 : 64
  const whole = Number(
    datatype <= INT64 ? BigInt.asIntN(width, value.bits) : BigInt.asUintN(datatype === UINT64 ? 64 : 32, value.bits),
  )
  return Number.isSafeInteger(whole) ? whole : new NoNumber(fault('integer_too_large'))
}

/** The command that asks a node to publish its births again. Source: Eclipse Sparkplug 3.0.0 */
export function rebirthCommand(now: number): Uint8Array {
  const name = Buffer.from('Node Control/Rebirth')
  const metric = Buffer.concat([bytesOf(1, name), varintOf(3, now), varintOf(4, BOOLEAN), varintOf(14, 1)])
  return Buffer.concat([varintOf(1, now), bytesOf(2, metric)])
}

const varintOf = (number: number, value: number): Buffer => Buffer.from([...varint(number << 3), ...varint(value)])
const bytesOf = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([...varint((number << 3) | LENGTH), ...varint(content.length)]), content])

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return [...bytes, Number(rest)]
}
