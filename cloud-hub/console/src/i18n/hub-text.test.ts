import { describe, expect, it } from 'vitest'
import { de } from './de/refusals.ts'
import { en } from './en/refusals.ts'
import { recognize } from './hub-text.ts'

/** The hub's own list, which is outside of the console's project of TypeScript. */
const codes: string = new URL('../../../src/support/error-codes/index.ts', import.meta.url).href
const { ERROR_CODES } = (await import(codes)) as { ERROR_CODES: object }

describe('the refusals of the hub', () => {
  it.each([
    ['English', en],
    ['German', de],
  ])('have a text for each code: %s', (_language, { refusals }) => {
    expect(Object.keys(ERROR_CODES).filter((code) => !(code in refusals))).toEqual([])
  })
  it('have no text for a code that the hub does not know', () => {
    expect(Object.keys(en.refusals).filter((code) => !(code in ERROR_CODES))).toEqual([])
  })
})

describe('a sentence of the hub without a code', () => {
  it.each([
    ['The URL must begin with https://.', 'https', {}],
    [
      'agent hall-3 polls this source, and last reported at 2026-11-25T09:21:08.102Z',
      'agentOffline',
      { agent: 'hall-3', at: '2026-11-25T09:21:08.102Z' },
    ],
    ['Agent hall-3 does not support sources from the hub: update it.', 'agentOutdated', { agent: 'hall-3' }],
    [
      'press-3: within 10 minutes: collectors deliver nothing any more: press',
      'agentSays',
      { agent: 'press-3', reason: 'within 10 minutes: collectors deliver nothing any more: press' },
    ],
    ['data_dir is not /var/lib/haltless-agent', 'otherFolder', { folder: '/var/lib/haltless-agent' }],
    ['The test failed: The host does not respond.', 'testFailed', { reason: 'The host does not respond.' }],
    ['the receiver answered 403, it does not allow this to these credentials', 'answeredDenied', { status: '403' }],
  ])('is recognized with its values: %s', (text, sentence, values) => {
    expect(recognize(text)).toEqual({ sentence, values })
  })
  it('stays as it is where it is none that is known', () => {
    expect(recognize('The frobnicator is out of order.')).toBeNull()
  })
})
