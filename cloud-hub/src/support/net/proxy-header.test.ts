import { describe, expect, it } from 'vitest'
import { MAX_REST_BYTES, ProxyHeaderError, readClient, restLength } from './proxy-header.ts'

const SIGNATURE = '0d0a0d0a000d0a515549540a'
/** HAProxy 2.6 with `send-proxy-v2`: 203.0.113.9:54321 connected to 10.0.0.1:1883 */
const FROM_HAPROXY = `${SIGNATURE}2111000ccb0071090a000001d431075b`
/** [2001:db8::7]:443 to [2001:db8::1]:8883, with an entry of type 0x20 behind the addresses */
const BY_IPV6 = `${SIGNATURE}2121002c20010db800000000000000000000000720010db800000000000000000000000101bb22b3200005010000000a`
const bytes = (hex: string) => Buffer.from(hex, 'hex')

describe('a header of the PROXY protocol, version 2', () => {
  it.each([
    ['IPv4, as HAProxy sends it', FROM_HAPROXY, { address: '203.0.113.9', port: 54_321 }],
    ['IPv6, with more behind the addresses', BY_IPV6, { address: '2001:db8::7', port: 443 }],
    ['a connection of the proxy itself', `${SIGNATURE}20000000`, null],
    [
      'a connection of the proxy itself, with addresses, which do not count',
      `${SIGNATURE}2011000ccb0071090a000001d431075b`,
      null,
    ],
  ])('names the client: %s', (_what, hex, client) => {
    const header = bytes(hex)
    expect(restLength(header.subarray(0, 16))).toBe(header.length - 16)
    expect(readClient(header)).toEqual(client)
  })

  it.each([
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n').toString('hex'), 'signature'],
    ['version 1', Buffer.from('PROXY TCP4 203.0.').toString('hex'), 'signature'],
    ['a signature with one wrong byte', `${SIGNATURE.slice(0, -1)}b2111000c`, 'signature'],
    ['version 3', `${SIGNATURE}3111000c`, 'version is 3'],
    ['an unknown command', `${SIGNATURE}2211000c`, 'command is 2'],
    ['one byte more than the limit', `${SIGNATURE}2111${(MAX_REST_BYTES + 1).toString(16).padStart(4, '0')}`, 'more than'],
  ])('is refused at its fixed part: %s', (_what, hex, message) => {
    expect(() => restLength(bytes(hex))).toThrow(ProxyHeaderError)
    expect(() => restLength(bytes(hex))).toThrow(message)
  })

  it('may have exactly as many bytes as the limit', () => {
    expect(restLength(bytes(`${SIGNATURE}2111${MAX_REST_BYTES.toString(16).padStart(4, '0')}`))).toBe(MAX_REST_BYTES)
  })

  it('is refused at the first byte that differs, and waited for until then', () => {
    for (let n = 0; n < 16; n++) expect(restLength(bytes(FROM_HAPROXY).subarray(0, n))).toBeNull()
    expect(() => restLength(Buffer.from([0x10]))).toThrow(ProxyHeaderError)
    expect(() => restLength(bytes(`${SIGNATURE}11`))).toThrow(ProxyHeaderError)
  })

  it.each([
    ['IPv4 whose addresses are cut', `${SIGNATURE}2111000bcb0071090a000001d43107`, 'within its addresses'],
    ['IPv6 with the addresses of IPv4', `${SIGNATURE}2121000ccb0071090a000001d431075b`, 'within its addresses'],
    ['UDP', `${SIGNATURE}2112000ccb0071090a000001d431075b`, '0x12'],
    ['a Unix socket', `${SIGNATURE}213100d8${'00'.repeat(216)}`, '0x31'],
    ['an unspecified family, whose client nobody knows', `${SIGNATURE}21000000`, '0x00'],
  ])('is refused at its addresses: %s', (_what, hex, message) => {
    expect(() => readClient(bytes(hex))).toThrow(ProxyHeaderError)
    expect(() => readClient(bytes(hex))).toThrow(message)
  })
})
