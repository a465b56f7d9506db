import { expect, it } from 'vitest'
import { terminalHeight } from './terminal-height.ts'

it('a terminal of 0 or unknown rows counts as one of 24, and a pipe gets everything', () => {
  expect(terminalHeight({ isTTY: true, rows: 0 })).toBe(24)
  expect(terminalHeight({ isTTY: true })).toBe(24)
  expect(terminalHeight({ isTTY: true, rows: 50 })).toBe(50)
  expect(terminalHeight({ rows: 0 })).toBe(10_000)
})
