import { describe, expect, it } from 'vitest'
import { clientIp } from './client-ip.ts'

describe('the address of a caller', () => {
  it.each([
    ['203.0.113.5', '198.51.100.1', [], '203.0.113.5'],
    ['10.0.0.2', '198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
    ['10.0.0.2', '6.6.6.6, 198.51.100.1, 10.0.0.3', ['10.0.0.0/8'], '198.51.100.1'],
    ['10.0.0.2', 'nonsense', ['10.0.0.0/8'], '10.0.0.2'],
    ['::ffff:203.0.113.5', null, [], '203.0.113.5'],
    ['::ffff:10.0.0.2', '198.51.100.1', ['10.0.0.2'], '198.51.100.1'],
    [undefined, '198.51.100.1', [], '127.0.0.1'],
  ] as const)('of %s with X-Forwarded-For %s and proxies %o is %s', (socket, forwarded, proxies, expected) => {
    expect(clientIp(socket, forwarded, proxies)).toBe(expected)
  })
})
