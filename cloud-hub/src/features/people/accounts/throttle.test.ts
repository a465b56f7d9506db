import { expect, it } from 'vitest'
import { ipSubject } from './throttle.ts'

it('failures of an IPv6 client count together over all addresses of its network', () => {
  expect(ipSubject('2001:db8:1:2::1')).toBe(ipSubject('2001:db8:1:2:ffff::2'))
  expect(ipSubject('2001:db8:1:2::1')).not.toBe(ipSubject('2001:db8:1:3::1'))
  expect(ipSubject('192.0.2.1')).not.toBe(ipSubject('192.0.2.2'))
})
