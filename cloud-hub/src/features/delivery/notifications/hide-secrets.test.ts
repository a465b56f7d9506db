import { fault } from '@haltless/protocol/faults'
import { describe, expect, it } from 'vitest'
import { readableError, readableFault } from './hide-secrets.ts'

const header = { headers: { Authorization: 'Bearer abcdefgh1234', 'X-Key': 'k9"y\\z' } }
const sms = { account_sid: 'AC01', auth_token: 'tok en/1' }
const chat = { webhook_url: 'https://hooks.example.com/services/T0/B0/secretpart?sig=signature1' }

describe('why an attempt failed', () => {
  it.each([
    ['whole', 'no Bearer abcdefgh1234 here', ['headers'], header],
    ['as a part of a token', 'no 99secretpart here', ['bot_token'], { bot_token: '123:99secretpart' }],
    ['without the scheme', 'no abcdefgh1234 here', ['headers'], header],
    ['in JSON', 'no k9\\"y\\\\z here', ['headers'], header],
    ['in a URL', 'no tok%20en%2F1 here', ['auth_token'], sms],
    ['over two lines', 'no tok\nen/1 here', ['auth_token'], sms],
    ['in Basic credentials', `no ${Buffer.from('AC01:tok en/1').toString('base64')} here`, ['auth_token'], sms],
    ['as a URL', `no ${chat.webhook_url} here`, ['webhook_url'], chat],
    ['as a path', 'no /services/T0/B0/secretpart?sig=signature1 here', ['webhook_url'], chat],
    ['as a part of a path', 'no secretpart here', ['webhook_url'], chat],
    ['as a value of a query', 'no signature1 here', ['webhook_url'], chat],
  ])('says nothing of a secret that the receiver says back %s', (_how, error, secrets, config) => {
    expect(readableError(error, secrets, config)).toBe('no *** here')
  })

  it('says nothing of it in the parameters of a fault either, nor in a fault within', () => {
    const [answer, explanation] = [fault('http_request_not_allowed', { text: 'no abcdefgh1234' }), 'no abcdefgh1234 here']
    const shown = readableFault(fault('receiver_explains', { answer, explanation }), ['headers'], header)
    expect(shown).toMatchObject({
      code: 'receiver_explains',
      params: { answer: { params: { text: 'no ***' } }, explanation: 'no *** here' },
    })
    expect(JSON.stringify(shown)).not.toContain('abcdefgh')
  })

  it('shows no part of a secret where it is cut', () => {
    for (let before = 280; before < 300; before++)
      expect(readableError(`${'x'.repeat(before)}abcdefgh1234`, ['headers'], header)).not.toMatch(/x[abc]/)
  })

  it('shows no part of a long secret where looking ends', () => {
    const config = { api_key: 'k0123456789'.repeat(300) }
    for (const text of [config.api_key.repeat(2), `${config.api_key} ${'x'.repeat(3_990)}${config.api_key}`])
      expect(readableError(text, ['api_key'], config)).not.toContain('k01')
  })

  it('shows no part of a secret where a fault cuts its parameters', () => {
    const secret = 'k0123456789-abcdefgh'
    for (let before = 0; before < secret.length; before++) {
      const explanation = `${'x'.repeat(before)}${secret.repeat(60)}`
      const shown = readableFault(
        fault('receiver_explains', { answer: fault('receiver_answered', { status: 400 }), explanation }),
        ['api_key'],
        { api_key: secret },
      )
      expect(JSON.stringify(shown)).not.toMatch(/k0|abc/)
    }
  })

  it('is never empty because a secret is long', () => {
    const [answer, config] = [fault('receiver_answered', { status: 400 }), { api_key: 'k0123456789'.repeat(120) }]
    const explained = fault('receiver_explains', { answer, explanation: 'no '.repeat(400) })
    const shown = readableFault(explained, ['api_key'], config)
    expect(shown.detail).toMatch(/^the receiver answered 400: no no /)
    expect(shown.params.explanation).toMatch(/^no no /)
  })

  it('is one line of at most 300 characters that can be stored', () => {
    expect(readableError('a\u0000b\r\nc\u202ed \ud83c\udfed', [], {})).toBe('a b cd 🏭')
    const long = readableError('🏭'.repeat(500), [], {})
    expect([long.length <= 300, long.isWellFormed()]).toEqual([true, true])
  })
})
