import { describe, expect, it } from 'vitest'
import { sortReadings } from './sort-readings.ts'

const request = (rows: readonly (readonly [series: number, at: number, value: number])[], tags: (string | null)[] = []) => ({
  submission: {
    columns: {
      series: Array.from({ length: 3 }, (_, s) => ({ machine: 'm', metric: `${s}`, unit: 'u', rawTag: tags[s] ?? null })),
      seriesIndex: Uint32Array.from(rows, ([s]) => s),
      timestamps: Float64Array.from(rows, ([, at]) => at),
      values: Float64Array.from(rows, ([, , value]) => value),
    },
    index: Uint32Array.from(rows.keys()),
    keys: null,
    rejections: [],
  },
})
const row = {
  tenantId: 't',
  machineId: 'm',
  chunk: 0,
  seen: 1,
  written: 1,
  tags: null,
  tagBytes: Buffer.alloc(0),
  sharedUntil: 0,
  tenantBytes: Buffer.alloc(16),
  machineBytes: Buffer.alloc(16),
}
/** an entry without a reading */
const body = Buffer.alloc(30)
body.writeInt32BE(-(2 ** 31), 5)
const series = [30, 10, 20].map((seriesId) => ({
  seriesId,
  latest: { row: { ...row, body }, index: 0 },
  rules: [],
  stopSignal: null,
}))
const rowsOf = ({ spans, timestamps, values }: ReturnType<typeof sortReadings>) =>
  spans.flatMap(({ seriesId, from, to }) =>
    Array.from(timestamps.subarray(from, to), (at, i) => [seriesId, at, values[from + i]] as [number, number, number]),
  )

describe('the readings of a flush', () => {
  it('come by series id and time, of equal instants the first to arrive first, over all requests', () => {
    const requests = [
      request([
        [0, 5, 1],
        [1, 9, 2],
        [1, 3, 3],
      ]),
      request([
        [1, 3, 4],
        [0, 2, 5],
        [2, 1, 6],
      ]),
    ]
    const slots = [
      [0, 1, 2],
      [0, 1, 2],
    ]
    const sorted = sortReadings(requests, series, slots)
    expect(rowsOf(sorted)).toEqual([
      [10, 3, 3],
      [10, 3, 4],
      [10, 9, 2],
      [20, 1, 6],
      [30, 2, 5],
      [30, 5, 1],
    ])
    expect(sorted.spans.map(({ slot }) => slot)).toEqual([1, 2, 0])
  })

  it('leave out unknown machines and repeats, and keep each reading with its raw tag', () => {
    const requests = [
      request(
        [
          [0, 2, 1],
          [1, 1, 2],
          [0, 1, 3],
          [2, 4, 4],
        ],
        ['x', null, 'z'],
      ),
    ]
    const sorted = sortReadings(requests, [...series, null], [[0, 3, 0]], [new Set([3])])
    expect(rowsOf(sorted)).toEqual([
      [30, 1, 3],
      [30, 2, 1],
    ])
    expect(sorted.rawTags).toEqual(['x', 'x'])
  })

  it('are as a stable sort would have them, whatever arrives', () => {
    let seed = 7
    const random = (n: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % n
    }
    for (let round = 0; round < 50; round++) {
      const requests = Array.from({ length: 4 }, () =>
        request(Array.from({ length: random(60) }, (_, i) => [random(3), random(20), round * 1_000 + i] as const)),
      )
      const expected = requests
        .flatMap(({ submission: { columns: c } }) =>
          Array.from(c.seriesIndex, (s, i) => [series[s]?.seriesId, c.timestamps[i], c.values[i]] as [number, number, number]),
        )
        .sort((a, b) => a[0] - b[0] || a[1] - b[1])
      const slots = requests.map(() => [0, 1, 2])
      expect(rowsOf(sortReadings(requests, series, slots))).toEqual(expected)
    }
  })
})
