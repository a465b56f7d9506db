import { expect, it } from 'vitest'
import { AddressLimit } from './address-limit.ts'

it('an IPv6 /64 network counts as one address, because one client owns it', () => {
  const open = new AddressLimit(2)
  expect([1, 2, 3].map((n) => open.acquire(`2001:db8:1:2::${n}`) !== null)).toEqual([true, true, false])
  expect(open.acquire('2001:db8:1:3::1')).not.toBeNull()
})

it('an IPv4 address counts once in every notation, and separately from others', () => {
  const open = new AddressLimit(1)
  const release = open.acquire('192.0.2.1')
  expect([open.acquire('::ffff:192.0.2.1'), open.open('::ffff:192.0.2.1')]).toEqual([null, 1])
  expect(open.acquire('::ffff:192.0.2.2')).not.toBeNull()
  release?.()
  expect(open.open('192.0.2.1')).toBe(0)
})
