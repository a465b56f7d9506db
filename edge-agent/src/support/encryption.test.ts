import { expect, it } from 'vitest'
import { plaintextFault } from './encryption.ts'

it.each([
  'https://hub.example.com',
  'mqtts://hub.example.com:8883',
  'wss://10.0.0.1/mqtt',
  'http://localhost',
  'mqtt://127.0.0.1',
  'ws://[::1]/mqtt',
])('%s may be used', (url) => expect(plaintextFault(url, false)).toBeNull())

it.each([
  'http://hub.example.com',
  'mqtt://192.0.2.1:1883',
  'tcp://192.0.2.1',
  'ws://hub/mqtt',
  'mqtt://127.0.0.1.example.com',
  'mqtt://127.evil.example.com',
  'http://localhost@evil.example.com',
  'http://[::2]',
  'no url',
])('%s may not', (url) => expect(plaintextFault(url, false)).not.toBeNull())

it('a trusted network is said so in the file', () => {
  expect(plaintextFault('mqtt://192.0.2.1:1883', true)).toBeNull()
})
