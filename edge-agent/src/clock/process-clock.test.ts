import { expect, it } from 'vitest'
import { readBootId } from './process-clock.ts'

it('the id of a boot is that of the system, or one of this process, so that its own readings can be corrected', () => {
  expect(readBootId()).toBe(readBootId())
  const [one, another] = [readBootId('/nowhere/boot_id'), readBootId('/nowhere/boot_id')]
  expect(one).not.toBe('')
  expect(one).not.toBe(another)
})
