import { expect, it, vi } from 'vitest'
import { TimeoutError } from '../../../support/timeout.ts'
import { streamResponse } from './answer.ts'
import type { SeriesChunk } from './read-series.ts'

const limits = { signal: new AbortController().signal, limitMs: null }

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
  const answers = await Promise.all(Array.from({ length: 20 }, () => streamResponse('one', chunks(), null, limits)))
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
  const busy = Array.from({ length: 20 }, () => streamResponse('busy', chunks('busy'), null, limits))
  await Promise.all([...busy, streamResponse('other', chunks('other'), null, limits)])
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
  const running = ['1', '2'].map((name) => streamResponse('one', chunks(name), null, limits))
  const leaving = new AbortController()
  const left = streamResponse('one', chunks('left'), null, { ...limits, signal: leaving.signal })
  leaving.abort()
  end()
  await expect(left).rejects.toMatchObject({ status: 503 })
  await Promise.all(running)
  expect(begun).toEqual(['1', '2'])
})

it('an answer whose next chunk hangs breaks off at the time limit, and its reading ends', async () => {
  const series = { id: 1, metric: 'temperature', unit: 'celsius' } as SeriesChunk['series']
  const { promise: hang, resolve: goOn } = Promise.withResolvers<void>()
  let hasEnded = false
  async function* chunks(): AsyncGenerator<SeriesChunk> {
    const points = Float64Array.from({ length: 4_000 }, (_, n) => n * 1_000)
    try {
      yield { series, times: points, values: points }
      await hang
      yield { series, times: points, values: points }
    } finally {
      hasEnded = true
    }
  }
  const answer = await streamResponse('one', chunks(), null, { ...limits, limitMs: 2_000 })
  await expect(answer.text()).rejects.toThrow(TimeoutError)
  goOn()
  await vi.waitFor(() => expect(hasEnded).toBe(true))
})
