import { describe, expect, it } from 'vitest'
import { de } from './de/refusals.ts'
import { en } from './en/refusals.ts'
import { recognize, valuesOf } from './hub-text.ts'

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
  it.each([
    ['too_many_comments', 'An alert has at most 1,000 comments.', { limit: '1,000' }],
    ['payload_too_large', 'The body may have at most 20971520 bytes.', { megabytes: '20' }],
    [
      'agent_in_rollout',
      'These agents are part of another rollout that has not ended: hall-1, hall-2. Wait for it, cancel it, or leave them out.',
      { agents: 'hall-1, hall-2' },
    ],
    [
      'no_agent_to_update',
      'None of the 2 agents can take this version. hall-1: it has version 0.2.0.',
      { reason: 'it has version 0.2.0' },
    ],
    ['file_unreadable', 'body.file: The file is empty.', { reason: 'The file is empty.' }],
  ])('take values from the sentence of the hub: %s', (code, detail, values) => {
    expect(valuesOf(code, detail)).toEqual(values)
  })
})

describe('a sentence of the hub without a code', () => {
  it.each([
    ['is required', 'required', {}],
    ['must have at most 200 characters', 'maxCharacters', { limit: '200' }],
    ['must hold at most 20 addresses', 'maxItems', { limit: '20' }],
    ['must hold at least one step', 'minItems', { limit: '1' }],
    ['must be at most 720, which is 30 days', 'atMost', { limit: '720' }],
    ['must be at least -1000000', 'atLeast', { limit: '-1000000' }],
    ['must be more than 0', 'moreThan', { limit: '0' }],
    ['must be at most 30 days away', 'horizon', { limit: '30' }],
    ['the range may span at most 92 days', 'span', { limit: '92' }],
    ['must be one of low, medium, high', 'oneOf', { values: 'low, medium, high' }],
    ['must be us or eu', 'oneOf', { values: 'us or eu' }],
    ['must be a number, not a text', 'notNumber', {}],
    ['must be a number such as +4915112345678', 'phone', {}],
    ['must be after scheduled_start', 'afterBegin', {}],
    ['must be an e-mail address', 'email', {}],
    ['may have at most 524288 bytes', 'maxBytes', { megabytes: '0.5' }],
    ['The URL must begin with https://.', 'https', {}],
    [
      "is not possible with trust_email: Microsoft (common) serves many organisations, so its addresses may be anybody's",
      'sharedIssuer',
      { issuer: 'Microsoft (common)' },
    ],
    ['needs a proven domain: prove it with POST /api/v1/auth/sso/config/verify-domain first', 'unprovenDomain', {}],
    ['duplicate machine_identifier: line 4 has it already', 'rowRepeated', { line: '4' }],
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
