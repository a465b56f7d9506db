import { expect, it } from 'vitest'
import { createLogger } from './logger.ts'
import { Secret } from './secret.ts'

it('no log line holds a secret, however deep it lies', () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line: string) => void lines.push(line) })
  logger.info({ password: 'p1', mqtt: { password: 'p2' }, a: { headers: { 'x-api-key': 'p3' } }, key: new Secret('p4') }, 'hello')
  expect(lines.join('')).not.toMatch(/p[1-4]/)
  expect(JSON.parse(lines[0] as string)).toMatchObject({ msg: 'hello', password: '***', key: '***' })
})

it('an error is logged with its message and its stack', () => {
  const lines: string[] = []
  createLogger('info', { write: (line: string) => void lines.push(line) }).error({ error: new Error('disk on fire') }, 'failed')
  expect(JSON.parse(lines[0] as string).error).toMatchObject({
    message: 'disk on fire',
    stack: expect.stringContaining('logger.test'),
  })
})
