import { expect, it } from 'vitest'
import { streamResponse } from './answer.ts'
import type { SeriesChunk } from './read-series.ts'

const { signal } = new AbortController()

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
  const answers = await Promise.all(Array.from({ length: 20 }, () => streamResponse('one', chunks(), null, signal)))
  expect([most, made]).toEqual([2, 20])
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  expect([most, made]).toEqual([2, 200])
  expect(JSON.parse(texts[19] as string)[0].data_points).toHaveLength(40_000)
})

it('an export of another tenant gets its turn before the many exports of a busy one', async () => {
  const series = { id: 1, metric: 'temperature', unit: 'celsius' } as SeriesChunk['series']
  const begun: string[] = []
  async function* chunks(tenant: string): AsyncGenerator<SeriesChunk> {
    begun.push(tenant)
    await new Promise((done) => setImmediate(done))
    yield { series, times: Float64Array.of(1), values: Float64Array.of(1) }
  }
  const busy = Array.from({ length: 20 }, () => streamResponse('busy', chunks('busy'), null, signal))
  await Promise.all([...busy, streamResponse('other', chunks('other'), null, signal)])
  expect(begun.indexOf('other')).toBe(2)
})

it('an export whose client leaves while it waits is never begun', async () => {
  const begun: string[] = []
  const { promise: open, resolve: end } = Promise.withResolvers<void>()
  async function* chunks(name: string): AsyncGenerator<SeriesChunk> {
    begun.push(name)
    await open
    yield* []
  }
  const running = ['1', '2'].map((name) => streamResponse('one', chunks(name), null, signal))
  const leaving = new AbortController()
  const left = streamResponse('one', chunks('left'), null, leaving.signal)
  leaving.abort()
  end()
  await expect(left).rejects.toMatchObject({ status: 503 })
  await Promise.all(running)
  expect(begun).toEqual(['1', '2'])
})
