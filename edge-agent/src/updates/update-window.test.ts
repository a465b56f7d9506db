import { expect, it } from 'vitest'
import { isOpen, UpdateWindow } from './update-window.ts'

const at = (hour: number, minute = 0) => new Date(2026, 10, 24, hour, minute).getTime()

it('is open from its first minute on, and not in its last', () => {
  expect([at(8, 59), at(9), at(16, 59), at(17)].map((now) => isOpen('09:00-17:00', now))).toEqual([false, true, true, false])
})

it('may reach over midnight', () => {
  const times = [at(21, 59), at(22), at(0), at(4, 59), at(5)]
  expect(times.map((now) => isOpen('22:00-05:00', now))).toEqual([false, true, true, true, false])
})

it('is always open when there is none', () => {
  expect(isOpen(undefined, at(3))).toBe(true)
})

it.each(['24:00-05:00', '9:00-17:00', '09:00', '09:00-09:00', '09:60-10:00', 'at night'])('cannot be %s', (text) => {
  expect(UpdateWindow.safeParse(text).success).toBe(false)
})
