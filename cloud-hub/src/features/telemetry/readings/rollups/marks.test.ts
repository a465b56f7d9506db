import { describe, expect, it } from 'vitest'
import { lateHours } from './marks.ts'

const HOUR = 3_600_000
const span = (seriesId: number, from: number, to: number) => ({ slot: 0, seriesId, from, to, newestAt: Number.NEGATIVE_INFINITY })

describe('lateHours', () => {
  it('names each hour of a series once that is older than the mark, and the oldest reading that is not', () => {
    const timestamps = Float64Array.of(0, 1, HOUR - 1, HOUR, 3 * HOUR + 5, 5 * HOUR, 5 * HOUR + 1, 2 * HOUR, 6 * HOUR)
    expect(lateHours({ spans: [span(7, 0, 7), span(9, 7, 9)], timestamps }, 5 * HOUR)).toEqual({
      marks: [
        { seriesId: 7, hour: 0 },
        { seriesId: 7, hour: HOUR },
        { seriesId: 7, hour: 3 * HOUR },
        { seriesId: 9, hour: 2 * HOUR },
      ],
      oldest: 5 * HOUR,
    })
  })
  it('names nothing for live readings, and has no oldest when all are late', () => {
    const timestamps = Float64Array.of(-1, 5 * HOUR)
    expect(lateHours({ spans: [span(1, 1, 2)], timestamps }, 5 * HOUR)).toEqual({ marks: [], oldest: 5 * HOUR })
    expect(lateHours({ spans: [span(1, 0, 1)], timestamps }, 0)).toEqual({
      marks: [{ seriesId: 1, hour: -HOUR }],
      oldest: Number.POSITIVE_INFINITY,
    })
  })
})
