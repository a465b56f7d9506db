import { expect, it } from 'vitest'
import { streamResponse } from './answer.ts'
import type { SeriesChunk } from './read-series.ts'

it('of many answers at once two are being made, and a client that reads nothing has a piece of its own made at most', async () => {
  let [running, most, made] = [0, 0, 0]
  const series = { id: 1, metric: 'temperature', unit: 'celsius' } as SeriesChunk['series']
  async function* chunks(): AsyncGenerator<SeriesChunk> {
    for (let i = 0; i < 10; i++) {
      most = Math.max(most, ++running)
      await new Promise((done) => setImmediate(done))
      made++
      const points = Float64Array.from({ length: 4_000 }, (_, n) => n * 1_000)
      running--
      yield { series, times: points, values: points }
    }
  }
  const answers = await Promise.all(Array.from({ length: 20 }, () => streamResponse(chunks(), null)))
  expect([most, made]).toEqual([2, 20])
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  expect([most, made]).toEqual([2, 200])
  expect(JSON.parse(texts[19] as string)[0].data_points).toHaveLength(40_000)
})
