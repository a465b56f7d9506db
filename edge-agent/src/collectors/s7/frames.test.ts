import { describe, expect, it } from 'vitest'
import { parseAddress, type S7Address } from './address.ts'
import { connectRequest, parseAnswer, parseRead, readRequest, setupRequest } from './frames.ts'
import { packRequests, planRanges } from './plan.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const rangesOf = (...addresses: string[]) => planRanges(addresses.map(parseAddress) as S7Address[], 240)

// Written from RFC 1006, ISO 8073 and the field lists of Wireshark's S7comm dissector, which reads each of them without a warning.
describe('frames of S7', () => {
  it('ask for a connection to rack 0, slot 2, as a programming device', () => {
    expect(hex(connectRequest(0, 2))).toBe('0300001611e00000000100c0010ac1020100c2020102')
    expect(hex(connectRequest(1, 3)).slice(-4)).toBe('0123')
  })

  it('negotiate the size of PDUs', () => {
    expect(hex(setupRequest(1))).toBe('0300001902f0803201000000010008' + '0000' + 'f0000001000103c0')
  })

  it('read bytes of a data block, markers, a timer and a counter', () => {
    const frame = hex(readRequest(7, rangesOf('DB10,REAL4', 'MB3', 'T5', 'C6')))
    expect(frame).toBe(
      ['03000043', '02f080', '32010000', '0007', '0032', '0000', '0404']
        .concat(['120a101c000100001c000006', '120a101d000100001d000005', '120a10020001000083000018', '120a10020004000a84000020'])
        .join(''),
    )
  })

  it('give the bytes of each range, and the code of a refusal whatever its length says', () => {
    const ranges = rangesOf('MB3', 'DB10,REAL4', 'DB11,INT0')
    const pdu = bytes('3203 0000 0007 0002 0014 0000 0403 ff040008 2a00 ff040020 42910000 0a000004')
    const answer = parseAnswer(Buffer.concat([pdu.subarray(0, 8), bytes('0012'), pdu.subarray(10)]))
    expect(answer && parseRead(answer, ranges)).toEqual([bytes('2a'), bytes('42910000'), 0x0a])
  })

  it('are no answer when a count, a function or a length differs', () => {
    const ranges = rangesOf('MB3')
    const answerOf = (parameters: string, data: string) => ({
      reference: 1,
      error: 0,
      parameters: bytes(parameters),
      data: bytes(data),
    })
    expect(parseRead(answerOf('0401', 'ff0400082a'), ranges)).toEqual([bytes('2a')])
    expect(parseRead(answerOf('0401', 'ff0400082a00'), ranges)).toEqual([bytes('2a')])
    expect(parseRead(answerOf('0401', 'ff0900012a'), ranges)).toEqual([bytes('2a')])
    for (const [parameters, data] of [
      ['0402', 'ff0400082a'],
      ['0501', 'ff0400082a'],
      ['04', 'ff0400082a'],
      ['0401', 'ff0400102a2a'],
      ['0401', 'ff040008'],
      ['0401', 'ff04'],
      ['0401', ''],
      ['0401', 'ff0400082a0000'],
      ['0401', 'ff09ffff2a'],
    ] as const)
      expect(parseRead(answerOf(parameters, data), ranges), `${parameters} ${data}`).toBeNull()
  })

  it('are no answer when their lengths do not fit, at any length', () => {
    const whole = bytes('3203 0000 0007 0002 0005 0000 0401 ff040008 2a')
    expect(parseAnswer(whole)).not.toBeNull()
    for (let length = 0; length < whole.length; length++) expect(parseAnswer(whole.subarray(0, length))).toBeNull()
  })
})

describe('the plan of a poll', () => {
  const plan = (pduBytes: number, ...addresses: string[]) => {
    const ranges = planRanges(addresses.map(parseAddress) as S7Address[], pduBytes)
    return packRequests(ranges, pduBytes).map((request) =>
      request.map(({ start, length, items }) => [start, length, items.length]),
    )
  }

  it('reads neighbours together, across a gap of 8 bytes and not of 9', () => {
    expect(plan(240, 'DB1,INT0', 'DB1,INT10', 'DB1,X0.3')).toEqual([[[0, 12, 3]]])
    expect(plan(240, 'DB1,INT0', 'DB1,INT11')).toEqual([
      [
        [0, 2, 1],
        [11, 2, 1],
      ],
    ])
    expect(plan(240, 'DB1,INT0', 'DB2,INT2', 'MW4')[0]).toHaveLength(3)
  })

  it('asks for 20 ranges at most, and for no more than request and answer hold', () => {
    const far = Array.from({ length: 21 }, (_, i) => `DB1,BYTE${100 * i}`)
    expect(plan(960, ...far).map((request) => request.length)).toEqual([20, 1])
    // 12 + 19 * 12 bytes are 240.
    expect(plan(240, ...far).map((request) => request.length)).toEqual([19, 2])
    const texts = Array.from({ length: 3 }, (_, i) => `DB${i},STRING0.100`)
    // 14 + 2 * (4 + 102) bytes are 226.
    expect(plan(240, ...texts).map((request) => request.length)).toEqual([2, 1])
  })

  it('reads of a text that fits into no answer what does', () => {
    expect(plan(240, 'DB1,WSTRING0.254')).toEqual([[[0, 222, 1]]])
    expect(plan(960, 'DB1,WSTRING0.254')).toEqual([[[0, 512, 1]]])
    const decode = parseAddress('DB1,WSTRING0.254')?.decode
    const text = Buffer.alloc(222)
    text.writeUInt16BE(254, 0)
    text.writeUInt16BE(109, 2)
    expect(decode?.(text)).toBe('\0'.repeat(109))
    text.writeUInt16BE(110, 2)
    expect(decode?.(text)).toMatchObject({ reason: 'the text is longer than one answer' })
  })
})
