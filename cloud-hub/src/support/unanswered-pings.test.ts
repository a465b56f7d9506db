import { expect, it } from 'vitest'
import { UnansweredPings } from './unanswered-pings.ts'

/** Pings each second. @returns whether each of them found that the event loop stands still */
function pinged(count: number, options: { answered?(ping: number): boolean; at?(ping: number): number } = {}): boolean[] {
  const { answered = () => false, at = (ping) => ping * 1_000 } = options
  const pings = new UnansweredPings(1_000, 0)
  return Array.from({ length: count }, (_, i) => {
    const isStill = pings.next(at(i + 1))
    if (answered(i + 1)) pings.answer()
    return isStill
  })
}

it('the twelfth ping in a row without an answer finds that the event loop stands still', () => {
  // the first of thirteen calls has no ping before it
  expect(pinged(13)).toEqual([...Array(12).fill(false), true])
})

it('an answer begins the count anew', () => {
  expect(pinged(60, { answered: (ping) => ping % 12 === 0 })).not.toContain(true)
  expect(pinged(25, { answered: (ping) => ping === 12 }).indexOf(true)).toBe(24)
})

it('a ping that is late itself begins the count anew', () => {
  const at = (ping: number) => ping * 1_000 + (ping >= 12 ? 3_600_000 : 0)
  expect(pinged(24, { at }).indexOf(true)).toBe(23)
  expect(pinged(60, { at: (ping) => ping * 2_001 })).not.toContain(true)
})
