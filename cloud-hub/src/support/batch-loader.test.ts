import { describe, expect, it } from 'vitest'
import { batchLoader } from './batch-loader.ts'

/** A server that answers when the test says so. */
function server() {
  const batches: { keys: readonly number[]; answer(): void; fail(): void }[] = []
  const load = batchLoader<number, string>(
    (keys) =>
      new Promise((resolve, reject) =>
        batches.push({ keys, answer: () => resolve(keys.map((key) => `${key}!`)), fail: () => reject(new Error('away')) }),
      ),
    3,
  )
  return { batches, load, turn: () => new Promise((done) => setImmediate(done)) }
}

describe('a batch loader', () => {
  it('loads concurrent keys in one batch, and each caller gets the value of its key', async () => {
    const { batches, load, turn } = server()
    const values = Promise.all([load(1), load(2)])
    await turn()
    batches[0]?.answer()
    expect(await values).toEqual(['1!', '2!'])
    expect(batches.map(({ keys }) => keys)).toEqual([[1, 2]])
  })

  it('never answers a caller from a batch that was sent before it asked', async () => {
    const { batches, load, turn } = server()
    const first = load(1)
    await turn()
    const second = load(1)
    batches[0]?.answer()
    await first
    await turn()
    expect(batches).toHaveLength(2)
    batches[1]?.answer()
    expect(await second).toBe('1!')
  })

  it('leaves keys beyond the maximum to the next batch', async () => {
    const { batches, load, turn } = server()
    const values = Promise.all([1, 2, 3, 4].map(load))
    await turn()
    batches[0]?.answer()
    await turn()
    batches[1]?.answer()
    expect(await values).toEqual(['1!', '2!', '3!', '4!'])
    expect(batches.map(({ keys }) => keys)).toEqual([[1, 2, 3], [4]])
  })

  it('fails every caller of a failed batch, and loads the next batch', async () => {
    const { batches, load, turn } = server()
    const failing = Promise.allSettled([load(1), load(2)])
    await turn()
    const later = load(3)
    batches[0]?.fail()
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await turn()
    batches[1]?.answer()
    expect(await later).toBe('3!')
  })
})
