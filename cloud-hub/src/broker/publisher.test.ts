import { expect, it } from 'vitest'
import { createLogger } from '../support/logger.ts'
import { Publisher } from './publisher.ts'

/** A client whose broker acknowledges when the test says so. */
function slowBroker() {
  const published: { topic: string; acknowledge(): void }[] = []
  const publish = (topic: string, _payload: unknown, _options: unknown, done: () => void) =>
    published.push({ topic, acknowledge: done })
  const logged: string[] = []
  const logger = createLogger('info', { write: (line) => void logged.push(JSON.parse(line).msg) })
  return { published, logged, publisher: new Publisher({ publish } as never, logger) }
}

const MEGABYTE = 'x'.repeat(1_048_576)

it('messages wait for no acknowledgement, and keep their order', () => {
  const { published, publisher } = slowBroker()
  for (let i = 0; i < 500; i++) publisher.publish(`agent-${i}/receipts`, '{}', false)
  expect(published.map(({ topic }) => topic)).toEqual(Array.from({ length: 500 }, (_, i) => `agent-${i}/receipts`))
})

it('unacknowledged messages are bounded by bytes: further ones are dropped, with one warning, until the broker acknowledges', () => {
  const { published, logged, publisher } = slowBroker()
  for (let i = 0; i < 100; i++) publisher.publish('sources', MEGABYTE, true)
  expect(published).toHaveLength(31)
  expect(logged).toEqual(['the broker acknowledges too slowly; agents get no receipts meanwhile'])
  published[0]?.acknowledge()
  publisher.publish('receipts', '{}', false)
  expect(published.at(-1)?.topic).toBe('receipts')
  expect(logged.slice(1)).toEqual(['the broker acknowledges again'])
})

it('empty messages are bounded too', () => {
  const { published, publisher } = slowBroker()
  for (let i = 0; i < 100_000; i++) publisher.publish('receipts', '', false)
  expect(published).toHaveLength(32_768)
})
