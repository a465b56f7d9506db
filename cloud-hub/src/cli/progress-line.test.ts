import { expect, it } from 'vitest'
import { progressLine } from './terminal.ts'

/** A progress line on a stream that keeps what is written, with a clock that the test sets. */
function openLine(isTTY: boolean) {
  const written: string[] = []
  const clock = { ms: 1_000_000 }
  const line = progressLine({ isTTY, write: (text) => written.push(text) }, () => clock.ms)
  return { line, written, clock }
}

it('a log gets a line of progress every five seconds, and none of a command that ends sooner', () => {
  const { line, written, clock } = openLine(false)
  for (let i = 0; i < 120; i++) {
    line.show(`${i} of 120`)
    clock.ms += 100
  }
  line.end()
  expect(written).toEqual(['50 of 120\n', '100 of 120\n'])
})

it('a terminal gets one line that is redrawn at most ten times a second and erased at the end', () => {
  const { line, written, clock } = openLine(true)
  for (const text of ['a', 'b', 'c']) {
    line.show(text)
    clock.ms += 60
  }
  line.end()
  line.end()
  expect(written).toEqual(['\r\x1b[Ka', '\r\x1b[Kc', '\r\x1b[K'])
})
