import { describe, expect, it } from 'vitest'
import { type Poll, readPoll, writePoll } from './poll.ts'

const AT = 1_790_000_000_000
const poll = (values: number[], ids = values.map((_, i) => i + 1), timestamps = values.map(() => AT)): Poll => ({
  seriesIds: Uint32Array.from(ids),
  timestamps: Float64Array.from(timestamps),
  values: Float64Array.from(values),
})
const again = (given: Poll) => readPoll(writePoll(given, 0, given.values.length))

describe('a poll on disk', () => {
  it.each([
    ['registers', [0, 1, 65_535, 32_768]],
    ['signed registers', [-32_768, 32_767, 0, -1]],
    ['singles', [Math.fround(0.1), 1e30, -0, 2 ** 24]],
    ['doubles', [0.1, Number.MAX_VALUE, 5e-324, -0, 2 ** 53]],
    ['a negative zero among whole numbers', [1, -0, 2]],
    ['one', [7]],
  ])('gives every value back, bit by bit: %s', (_, values) => {
    expect(again(poll(values))).toEqual(poll(values))
  })

  it('gives back series in any order, and timestamps that go back, stand and jump', () => {
    const given = poll([1, 2, 3, 4, 5, 6], [9, 10, 11, 2, 1, 4_000_000_000], [AT, AT, AT - 5, AT - 5, -62_135_596_800_000, AT])
    expect(again(given)).toEqual(given)
  })

  it('tells a part of a longer poll', () => {
    const given = poll([1, 2, 3, 4, 5])
    expect(readPoll(writePoll(given, 1, 4))).toEqual(poll([2, 3, 4], [2, 3, 4]))
  })

  it('of a thousand registers takes two bytes each, their names included', () => {
    expect(writePoll(poll(Array.from({ length: 1_000 }, (_, i) => i * 60)), 0, 1_000).length).toBeLessThan(2_020)
  })

  it('that was cut off or overwritten is refused, and never read as something else that is longer than it', () => {
    const body = writePoll(poll([1, 2, 3], [5, 6, 9]), 0, 3)
    for (let length = 0; length < body.length; length++) expect(() => readPoll(body.subarray(0, length))).toThrow()
    for (let at = 1; at < body.length; at++) {
      const damaged = body.slice()
      damaged[at] = 0xff
      try {
        expect(readPoll(damaged).values.length).toBeLessThanOrEqual(body.length)
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    }
  })
})
