import { expect, it } from 'vitest'
import { crc32c } from './crc32c.ts'
import { formatLsn, historyName, parseLsn, segmentName } from './lsn.ts'
import { isLaterSegment, parseHistory, segmentNames } from './timelines.ts'

const SEGMENT = 16_777_216

// Source: RFC 3720, B.4
it.each<[string, Buffer, number]>([
  ['32 bytes of zeros', Buffer.alloc(32), 0x8a9136aa],
  ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['the bytes from 0 to 31', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
  ['123456789', Buffer.from('123456789'), 0xe3069283],
])('the CRC-32C of %s is that of the standard, also in two parts', (_name, bytes, sum) => {
  expect(crc32c(bytes)).toBe(sum)
  expect(crc32c(bytes.subarray(5), crc32c(bytes.subarray(0, 5)))).toBe(sum)
})

it('positions and names of segments are written as PostgreSQL writes them', () => {
  expect(parseLsn('16/B374D848')).toBe(0x16_b374_d848)
  expect(formatLsn(0x16_b374_d848)).toBe('16/B374D848')
  expect(formatLsn(0x200_0028)).toBe('0/02000028')
  expect(() => parseLsn('16')).toThrow()
  expect(segmentName(1, 255, SEGMENT)).toBe('0000000100000000000000FF')
  expect(segmentName(2, 256, SEGMENT)).toBe('000000020000000100000000')
  expect(segmentName(1, 5, 1_073_741_824)).toBe('000000010000000100000001')
  expect(historyName(11)).toBe('0000000B.history')
})

it('where a timeline was left, both names of the segment are tried, the newer one first', () => {
  const spans = parseHistory('1\t0/5000028\tno recovery target specified\n\n2\t0/9000000\tbefore 2026-11-28\n', 3)
  expect(spans).toEqual([
    { timeline: 1, from: 0, until: 0x500_0028 },
    { timeline: 2, from: 0x500_0028, until: 0x900_0000 },
    { timeline: 3, from: 0x900_0000, until: Number.POSITIVE_INFINITY },
  ])
  expect(segmentNames(spans, 4, SEGMENT)).toEqual(['000000010000000000000004'])
  expect(segmentNames(spans, 5, SEGMENT)).toEqual(['000000020000000000000005', '000000010000000000000005'])
  expect(segmentNames(spans, 6, SEGMENT)).toEqual(['000000020000000000000006'])
  expect(segmentNames(spans, 9, SEGMENT)).toEqual(['000000030000000000000009'])
  // what an abandoned history wrote later is no part of this one
  expect(isLaterSegment('000000010000000000000007', spans, 5, SEGMENT)).toBe(false)
  expect(isLaterSegment('000000020000000000000007', spans, 5, SEGMENT)).toBe(true)
  expect(isLaterSegment('000000020000000000000007', spans, 7, SEGMENT)).toBe(false)
})
