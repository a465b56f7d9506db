import { describe, expect, test } from 'vitest'
import { addressPolicy, literalAddress } from './address-policy.ts'
import { isHostName } from './resolve-host.ts'

const classify = addressPolicy([])

describe('addresses that a tenant may not reach', () => {
  test.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared by carriers', '100.64.0.1'],
    ['metadata at Alibaba', '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, cloud metadata', '169.254.169.254'],
    ['platform of Azure', '168.63.129.16'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.7'],
    ['documentation', '203.0.113.9'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarking', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped, in hex', '::ffff:a9fe:a9fe'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64, local', '64:ff9b:1::7f00:1'],
    ['6to4 of 127.0.0.1', '2002:7f00:1::'],
    ['Teredo', '2001::1'],
    ['unique local', 'fd00::1'],
    ['metadata at AWS', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['documentation', '2001:db8::1'],
    ['multicast', 'ff02::1'],
    ['discard', '100::1'],
    ['not handed out', '4000::1'],
    ['octal', '0177.0.0.1'],
    ['short', '127.1'],
    ['one number', '2130706433'],
    ['hex', '0x7f000001'],
    ['a leading zero', '008.8.8.8'],
    ['not an address', 'example.com'],
    ['nothing', ''],
  ])('%s: %s', (_why, address) => {
    expect(classify(address)).toBe('blocked')
  })
})

test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) => {
  expect(classify(address)).toBe('public')
})

test('the ranges of the operator are allowlisted in every notation, and no other address', () => {
  const listed = addressPolicy(['127.0.0.0/8', 'fd00:1::/32', ' 10.1.2.3 '])
  for (const address of ['127.0.0.1', '::ffff:127.9.9.9', 'fd00:1::5', '10.1.2.3']) expect(listed(address)).toBe('allowlisted')
  for (const address of ['10.1.2.4', 'fd00:2::5', '::1', '64:ff9b::7f00:1']) expect(listed(address)).toBe('blocked')
  expect(listed('8.8.8.8')).toBe('public')
})

test('an entry that is not a range is refused by name', () => {
  expect(() => addressPolicy(['10.0.0.0/8', 'plant'])).toThrow('"plant" is not an address range')
  expect(() => addressPolicy(['10.0.0.0/40'])).toThrow('10.0.0.0/40')
})

test('a literal address is distinguished from a host name', () => {
  expect(literalAddress('[::1]')).toBe('::1')
  expect(literalAddress('127.1')).toBe('127.1')
  expect(literalAddress('one.example')).toBeNull()
})

test('a host name has letters, digits, dashes and dots', () => {
  for (const name of ['a', 'plc-7.plant_2.example', 'example.com.']) expect(isHostName(name)).toBe(true)
  for (const name of ['', '-a', 'a..b', 'a b', 'a/b', 'ä.example', `${'a'.repeat(64)}.example`, 'a'.repeat(254)])
    expect(isHostName(name)).toBe(false)
})
