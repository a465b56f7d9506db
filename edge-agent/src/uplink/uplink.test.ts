import { expect, it } from 'vitest'
import type { ReadingBuffer } from '../buffer/buffer.ts'
import type { Clock } from '../support/clock.ts'
import { createLogger } from '../support/logger.ts'
import { Authorization } from './authorization.ts'
import type { Connector } from './connector.ts'
import type { Transport } from './transport.ts'
import { Uplink } from './uplink.ts'
import { WireFormat } from './wire-format.ts'

/** Time passes as fast as it is waited for. */
const clock: Clock = { now: Date.now, monotonic: () => performance.now(), sleep: () => new Promise((wake) => setImmediate(wake)) }

it('a buffer that cannot be read for a moment does not end the uplink', async () => {
  let claims = 0
  let opened = 0
  const buffer = {
    claim: () => {
      if (++claims <= 2) throw new Error('disk I/O error')
      return null
    },
  } as unknown as ReadingBuffer
  const connector = {
    open: async () => {
      opened++
      const transport: Transport = {
        kind: 'mqtt',
        brokenBy: null,
        send: () => Promise.reject(new Error('nothing to send')),
        close: async () => {},
      }
      return transport
    },
  } as unknown as Connector
  const authorization = new Authorization()
  const lines: string[] = []
  const logger = createLogger('error', { write: (line: string) => void lines.push(line) })
  const limits = { maxInFlight: 1, backlogReadingsPerSecond: 1_000, receiptTimeoutMs: 1_000 }
  const wireFormat = new WireFormat(logger)
  const uplink = new Uplink({
    buffer,
    authorization,
    wireFormat,
    connector,
    clock,
    logger,
    ...limits,
    onCredentialRefused: () => {},
  })
  uplink.start()
  authorization.grant(null, 0)
  while (claims < 4) await new Promise((resolve) => setImmediate(resolve))
  expect(uplink.status().state).toBe('sending')
  expect(opened).toBe(3)
  expect(lines.filter((line) => line.includes('disk I/O error'))).toHaveLength(2)
  await uplink.stop()
  expect(uplink.status().state).toBe('stopped')
})
