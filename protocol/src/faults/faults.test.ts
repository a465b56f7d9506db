import { describe, expect, it } from 'vitest'
import { Telemetry } from '../heartbeat.ts'
import { AgentSourcesReport } from '../source.ts'
import { FaultShape } from './fault-shape.ts'
import { faultText } from './fault-text.ts'
import { FAULT_LIMITS, FAULT_TEXTS, type Fault, fault } from './faults.ts'

describe('a fault', () => {
  it('has its parameters in its English text, and the source of its code', () => {
    expect(fault('modbus_no_answer', { unit: 2, limit: 400 })).toEqual({
      code: 'modbus_no_answer',
      params: { unit: 2, limit: 400 },
      source: 'network',
      detail: 'unit 2 does not answer within 400 ms',
    })
    expect(fault('opcua_shutdown')).toEqual({
      code: 'opcua_shutdown',
      params: {},
      source: 'device',
      detail: 'the server is shutting down',
    })
  })

  it('takes the parameters of its text, no others, and none too few', () => {
    // @ts-expect-error limit is missing
    fault('modbus_no_answer', { unit: 2 })
    // @ts-expect-error the text has no such parameter
    fault('modbus_no_answer', { unit: 2, limit: 400, port: 502 })
    // @ts-expect-error this text needs parameters
    fault('modbus_no_answer')
    // @ts-expect-error this text has none
    fault('opcua_shutdown', { unit: 2 })
    // @ts-expect-error a wrapper has the source of its reason, which is a fault
    fault('with_status', { reason: 'the server is busy', status: 'BadTooManySessions' })
    expect(Object.keys(FAULT_TEXTS)).not.toContain('')
  })

  it('that adds something to another one has the source of that one', () => {
    const status = 'BadShutdown'
    expect(fault('with_status', { reason: fault('opcua_shutdown'), status })).toMatchObject({
      source: 'device',
      detail: 'the server is shutting down (BadShutdown)',
    })
    expect(fault('with_status', { reason: fault('opcua_connection_lost'), status })).toMatchObject({ source: 'network' })
  })

  it('keeps within the limits of the wire, whatever it is made of', () => {
    let found: Fault = fault('unexpected_error', { text: 'x'.repeat(5_000) })
    for (let i = 0; i < 10; i++) found = fault('readings_not_stored', { reason: found })
    expect(FaultShape.safeParse(found).success).toBe(true)
    expect(found.detail).toHaveLength(FAULT_LIMITS.detailChars)
  })
})

it('each code is a word in snake_case, and its text begins with no space', () => {
  for (const [code, text] of Object.entries(FAULT_TEXTS)) {
    expect(code).toMatch(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$|^stopped$/)
    expect(text).toBe(text.trim())
  }
})

describe('the text of a fault in another language', () => {
  const texts = { no_readable_tag: 'kein Tag: {reason}', modbus_no_answer: '{unit} schweigt', agent_last_reported: 'um {at}' }

  it('has the texts of faults within it', () => {
    const reason = fault('modbus_no_answer', { unit: 2, limit: 400 })
    expect(faultText(fault('no_readable_tag', { reason }), texts)).toBe('kein Tag: 2 schweigt')
  })
  it('is the English one for a code that it lacks, also within a fault', () => {
    const newer: Fault = { code: 'of_next_year', params: {}, source: 'device', detail: 'the device is new' }
    expect(faultText(newer, texts)).toBe('the device is new')
    expect(faultText(fault('no_readable_tag', { reason: newer }), texts)).toBe('kein Tag: the device is new')
    expect(faultText({ ...newer, code: 'constructor' }, texts)).toBe('the device is new')
  })
  it('shows parameters as the reader writes them', () => {
    const found = fault('agent_last_reported', { agent: 'a', at: '2026-01-31T12:00:00Z' })
    expect(faultText(found, texts, (name, value) => (name === 'at' ? value.slice(11, 16) : value))).toBe('um 12:00')
  })
})

describe('a report', () => {
  const ok = fault('modbus_no_answer', { unit: 1, limit: 400 })
  const nested = (depth: number): unknown =>
    depth === 0 ? ok : { code: 'no_readable_tag', params: { reason: nested(depth - 1) }, source: 'device', detail: 'x' }
  const broken = [
    ['a code that is none', { ...ok, code: 'Modbus!' }],
    ['a long code', { ...ok, code: 'x'.repeat(101) }],
    ['a source that is none', { ...ok, source: 'tenant' }],
    ['a long text', { ...ok, detail: 'x'.repeat(1_001) }],
    ['too many parameters', { ...ok, params: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`p${i}`, i])) }],
    ['a long parameter', { ...ok, params: { unit: 'x'.repeat(1_001) } }],
    ['a list as a parameter', { ...ok, params: { unit: [1] } }],
    ['too many faults within each other', nested(5)],
    ['too many characters in all', { ...ok, params: Object.fromEntries(Array.from('abcdefghi', (p) => [p, 'x'.repeat(999)])) }],
    ['no object', 'modbus_no_answer'],
  ] as const
  const base = { agent_id: 'line-1', agent_version: '0.1.0', collectors: { press: 'reconnecting: no answer' } }

  it.each(broken)('is taken without a fault that has %s', (_what, given) => {
    const taken = Telemetry.parse({ ...base, collector_faults: { press: given, oven: ok } })
    expect(taken).toMatchObject({ ...base, collector_faults: { oven: ok } })
    expect(taken.collector_faults).not.toHaveProperty('press')
    const source_id = '0198c7d4-5a00-7000-8000-00004b5a1c11'
    const state = { source_id, error: 'no answer', polled_at: null }
    expect(AgentSourcesReport.parse({ revision: 1, states: [{ ...state, fault: given }] }).states).toEqual([
      { ...state, fault: null },
    ])
  })
  it('is taken with a code that is new, and with faults within each other', () => {
    const newer = { code: 'of_next_year', params: { limit: 3, reason: nested(1) }, source: 'device', detail: 'the device is new' }
    expect(Telemetry.parse({ ...base, collector_faults: { press: newer } }).collector_faults).toEqual({ press: newer })
  })
  it.each([[null], ['all'], [7]])('is taken where its faults are %s', (given) => {
    expect(Telemetry.parse({ ...base, collector_faults: given })).toMatchObject({ ...base, collector_faults: {} })
  })
  it('is taken without faults, as older agents send it', () => {
    expect(Telemetry.parse(base)).toEqual(base)
  })
})

it('a fault has neither NUL nor half of a surrogate pair, also where it is cut', () => {
  const found = fault('unexpected_error', { text: `${'x'.repeat(FAULT_LIMITS.paramChars - 1)}\u{1f600}\0` })
  const nested = fault('with_status', { reason: fault('unexpected_error', { text: 'a\0b\ud83d' }), status: 'Bad' })
  for (const text of [found.detail, found.params.text as string, nested.detail, JSON.stringify(nested)]) {
    expect(text.isWellFormed()).toBe(true)
    expect(text).not.toMatch(/\0|\\u0000|\\ud83d/)
  }
})

it('a fault without a parameter of its text is shown as its sentence', () => {
  const found = { code: 'modbus_no_answer', params: {}, detail: 'unit 3 does not answer within 2000 ms' }
  expect(faultText(found, { modbus_no_answer: 'Einheit {unit} antwortet nicht' })).toBe(found.detail)
})
