import { expect, it } from 'vitest'
import { inTurns } from './in-turns.ts'

it('parts that take long leave turns to other work, and keep their order', async () => {
  const order: string[] = []
  const made = await inTurns([1, 2, 3], (n) => {
    order.push(`part ${n}`)
    setImmediate(() => order.push(`other ${n}`))
    for (const since = performance.now(); performance.now() - since < 11; );
    return n * 2
  })
  expect(made).toEqual([2, 4, 6])
  expect(order).toEqual(['part 1', 'other 1', 'part 2', 'other 2', 'part 3', 'other 3'])
})
