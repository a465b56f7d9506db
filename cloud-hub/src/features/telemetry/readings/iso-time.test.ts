import { expect, it } from 'vitest'
import { isoTimes } from './iso-time.ts'

it('formats instants as toISOString does, whichever day comes next, before 1970 and after 9999 too', () => {
  const format = isoTimes()
  const days = ['1969-12-31', '1970-01-01', '2026-02-28', '2026-03-01', '+012345-01-01', '-000001-06-30']
  const times = ['00:00:00.000', '00:00:00.001', '09:08:07.006', '23:59:59.999']
  for (const day of [...days, ...days.toReversed()])
    for (const time of times) {
      const at = Date.parse(`${day}T${time}Z`)
      expect(format(at)).toBe(new Date(at).toISOString())
    }
  for (let i = 0; i < 1_000; i++) {
    const at = Math.round((i - 500) * 86_400_000 * 1.37)
    expect(format(at)).toBe(new Date(at).toISOString())
  }
})
