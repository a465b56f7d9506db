import { describe, expect, it } from 'vitest'
import { gathered } from './gather.ts'

/** A server whose answers the test gives. */
function server() {
  const asked: { keys: readonly number[]; answer(): void; fail(): void }[] = []
  const look = gathered<number, string>(
    (keys) =>
      new Promise((resolve, reject) =>
        asked.push({ keys, answer: () => resolve(keys.map((key) => `${key}!`)), fail: () => reject(new Error('away')) }),
      ),
    3,
  )
  return { asked, look, turn: () => new Promise((done) => setImmediate(done)) }
}

describe('questions that are asked at the same time', () => {
  it('go to the server as one, and each has its own answer', async () => {
    const { asked, look, turn } = server()
    const answers = Promise.all([look(1), look(2)])
    await turn()
    asked[0]?.answer()
    expect(await answers).toEqual(['1!', '2!'])
    expect(asked.map(({ keys }) => keys)).toEqual([[1, 2]])
  })

  it('are never answered by what was asked before they came', async () => {
    const { asked, look, turn } = server()
    const first = look(1)
    await turn()
    const second = look(1)
    asked[0]?.answer()
    await first
    await turn()
    expect(asked).toHaveLength(2)
    asked[1]?.answer()
    expect(await second).toBe('1!')
  })

  it('wait for the next question beyond the most that one takes', async () => {
    const { asked, look, turn } = server()
    const answers = Promise.all([1, 2, 3, 4].map(look))
    await turn()
    asked[0]?.answer()
    await turn()
    asked[1]?.answer()
    expect(await answers).toEqual(['1!', '2!', '3!', '4!'])
    expect(asked.map(({ keys }) => keys)).toEqual([[1, 2, 3], [4]])
  })

  it('fail together, and those after them are asked', async () => {
    const { asked, look, turn } = server()
    const failing = Promise.allSettled([look(1), look(2)])
    await turn()
    const later = look(3)
    asked[0]?.fail()
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await turn()
    asked[1]?.answer()
    expect(await later).toBe('3!')
  })
})
