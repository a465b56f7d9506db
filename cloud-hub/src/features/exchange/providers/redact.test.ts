import { fault } from '@haltless/protocol'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'

/** its base64 contains +, / and =, its URL forms differ, and JSON and HTML escape it */
const SECRET = `~o?~~~ÿû&"<'*/ x`
const base64 = Buffer.from(SECRET).toString('base64')
const json = JSON.stringify(SECRET).slice(1, -1)
const html = SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

it('a redactor removes a secret from a fault, its parameters and the faults within it', () => {
  const reason = fault('unexpected_error', { text: `no ${SECRET}` })
  const found = fault('erp_record_refused', { status: 400, reason: fault('erp_not_available', { reason }) })
  const cleaned = createRedactor([SECRET]).cleanFault(found)
  expect(JSON.stringify(cleaned)).not.toContain(json)
  expect(cleaned).toMatchObject({
    code: 'erp_record_refused',
    params: { status: 400, reason: { params: { reason: { detail: 'no ***', params: { text: 'no ***' } } } } },
    detail: 'The ERP refuses the record (status 400). The ERP is not available now. no ***',
  })
})

describe('a redactor', () => {
  it.each([
    ['as it is', SECRET],
    ['in JSON', json],
    ['in JSON with escaped slashes', json.replaceAll('/', '\\/')],
    ['in HTML', html],
    ['in an HTML attribute', html.replaceAll('"', '&quot;')],
    ['in XML', html.replaceAll('"', '&quot;').replaceAll("'", '&apos;')],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in a URL with lower-case escapes', encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams([['', SECRET]]).toString().slice(1)],
    ['in base64', base64],
    ['in base64 without padding', base64.replace(/=+$/, '')],
    ['in base64url', Buffer.from(SECRET).toString('base64url')],
    ['in base64 in a URL', encodeURIComponent(base64)],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ])('removes a secret %s', (_, form) => {
    expect(base64).toMatch(/\+.*\/|\/.*\+/)
    const { clean, summary } = createRedactor([SECRET])
    expect(clean(`a ${form} b`)).toMatch(/^a \*\*\*(=|%3D)* b$/)
    expect(summary(`a ${form} b`)).toMatch(/^a \*\*\*(=|%3D)* b$/)
  })

  it('removes secrets that come later, and longer ones first', () => {
    const { add, clean } = createRedactor(['ab', ''])
    expect(clean('abcd efgh')).toBe('***cd efgh')
    add('abcd')
    add('efgh')
    expect(clean('abcd efgh')).toBe('*** ***')
  })

  it('leaves a secret of one letter alone, because no text could be read without it', () => {
    expect(createRedactor(['e', 'xy']).clean('the xy letter')).toBe('the *** letter')
  })

  it('shows one line of at most 500 characters, and no part of a secret at its end', () => {
    const { summary } = createRedactor([SECRET])
    expect(summary(`a\r\n\t b\u0000c`)).toBe('a b c')
    expect(summary('x'.repeat(500))).toHaveLength(500)
    expect(summary('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`)
    const cut = summary(`${'x'.repeat(495)}${SECRET}`)
    expect(cut).toBe(`${'x'.repeat(495)}***`)
    expect(summary(`${'x'.repeat(498)}😀😀`).isWellFormed()).toBe(true)
    expect(createRedactor([]).summary('text')).toBe('text')
  })
})
