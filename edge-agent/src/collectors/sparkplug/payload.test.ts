import { deflateSync } from 'node:zlib'
import { encodePayload } from 'sparkplug-payload/lib/sparkplugbpayload.js'
import { describe, expect, it } from 'vitest'
import { NoNumber } from '../values-in-text.ts'
import { numberOfMetric, readPayload, rebirthCommand } from './payload.ts'

type Given = Parameters<typeof encodePayload>[0]
const encode = (payload: object): Buffer => Buffer.from(encodePayload(payload as Given))
const readBack = (type: string, value: unknown) => {
  const [metric] = readPayload(encode({ timestamp: 1, metrics: [{ name: 'm', type, value }] })).metrics
  const number = metric && numberOfMetric(metric, metric.datatype ?? 0)
  return number instanceof NoNumber ? number.reason : number
}

/** As a varint. */
const lengthOf = ({ length }: Buffer) => [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]

describe('a payload of the Tahu library', () => {
  it('is read with its names, aliases, times and sequence number', () => {
    const metrics = [
      { name: 'bdSeq', type: 'UInt64', value: 7 },
      { name: 'T', alias: 3, timestamp: 1_790_000_000_123, type: 'Double', value: 72.5, isHistorical: true },
      { name: '', alias: 300, type: 'Float', value: null },
    ]
    expect(readPayload(encode({ timestamp: 1_790_000_000_000, seq: 255, metrics }))).toMatchObject({
      timestamp: 1_790_000_000_000,
      seq: 255,
      metrics: [
        { name: 'bdSeq', alias: null, value: { kind: 'integer', bits: 7n } },
        { name: 'T', alias: 3, timestamp: 1_790_000_000_123, isHistorical: true, isNull: false },
        { name: '', alias: 300, timestamp: null, isNull: true },
      ],
    })
  })

  it.each([
    ['Int8', -5, -5],
    ['Int16', -1_234, -1_234],
    ['Int32', -70_000, -70_000],
    ['Int64', -9_007_199_254_740_991, -9_007_199_254_740_991],
    ['Int64', '-9007199254740993', 'the integer is beyond 2^53 and has no exact value'],
    ['UInt8', 200, 200],
    ['UInt16', 54_321, 54_321],
    ['UInt32', 4_000_000_000, 4_000_000_000],
    ['UInt64', '18446744073709551615', 'the integer is beyond 2^53 and has no exact value'],
    ['Float', 0.5, 0.5],
    ['Double', Math.PI, Math.PI],
    ['Double', Number.NaN, 'the value is not a finite number'],
    ['Boolean', true, 1],
    ['Boolean', false, 0],
    ['String', '72.5', 'the metric holds a text, not a number'],
    ['DateTime', 1_790_000_000_000, 'the metric holds a date, not a number'],
    ['Bytes', Buffer.from([1]), 'the metric holds bytes, not a number'],
  ])('holds %s %s as %s', (type, value, expected) => {
    expect(readBack(type, value)).toBe(expected)
  })

  it('reads the quality, and the type that a message leaves out is that of the birth', () => {
    const properties = { Unit: { type: 'String', value: 'C' }, Quality: { type: 'Int32', value: 500 } }
    const [metric] = readPayload(encode({ metrics: [{ name: 'm', type: 'Int8', value: -1, properties }] })).metrics
    expect(metric?.quality).toBe(500)
    // an 8 bit number as some devices write it
    expect(numberOfMetric({ ...metric, value: { kind: 'integer', bits: 0xffn } } as never, 1)).toBe(-1)
    expect(numberOfMetric({ ...metric, value: { kind: 'integer', bits: 1n } } as never, 11)).toBe(1)
  })

  it('refuses bytes that are none, at whatever byte they end', () => {
    const whole = encode({ timestamp: 1, seq: 1, metrics: [{ name: 'metric', type: 'Double', value: 1.5 }] })
    for (let length = 0; length < whole.length; length++)
      try {
        readPayload(whole.subarray(0, length))
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    expect(() => readPayload(Buffer.from('this is no payload'))).toThrow()
    expect(() => readPayload(Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f]))).toThrow('it ends too early')
  })

  it('refuses what would take too much memory', () => {
    const many = Buffer.alloc(200_000)
    for (let at = 0; at < many.length; at += 2) many[at] = 0x12
    expect(() => readPayload(many)).toThrow('it has more than 50000 metrics')
    const uuid = Buffer.from('SPBV1.0_COMPRESSED')
    const body = deflateSync(Buffer.alloc(20 * 1_048_576))
    const bomb = Buffer.concat([Buffer.from([0x22, uuid.length]), uuid, Buffer.from([0x2a, ...lengthOf(body)]), body])
    expect(() => readPayload(bomb)).toThrow()
  })

  it('the request of a rebirth is what that library reads', async () => {
    const { decodePayload } = await import('sparkplug-payload/lib/sparkplugbpayload.js')
    const { timestamp, metrics } = decodePayload(rebirthCommand(1_790_000_000_000))
    expect(Number(timestamp)).toBe(1_790_000_000_000)
    expect(metrics).toMatchObject([{ name: 'Node Control/Rebirth', type: 'Boolean', value: true }])
  })
})
