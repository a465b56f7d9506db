import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { z } from '../../../support/http/z.ts'
import { createGuardedClient } from '../../../support/net/guarded-client.ts'
import { type Config, resolveConfig } from '../../../support/secrets/secret-config.ts'
import { CHANNEL_TYPES, channelOf, configRules } from './registry.ts'

const http = createGuardedClient({ allow: [] })
const change = (stored: Config | null, json: string) => resolveConfig(configRules('webhook', http), stored, JSON.parse(json))

describe('the configuration of a channel', () => {
  it('cannot be smuggled in through a prototype', () => {
    expect(() => change(null, '{"__proto__":{"url":"https://example.com/"}}')).toThrow(/body\.config\.url/)
  })

  it('keeps every header for the address that it was entered for, whatever its name', () => {
    for (const name of ['constructor', 'toString', 'X-Key', 'a.b']) {
      const stored = change(null, `{"url":"https://example.com/","headers":{"${name}":"secret"}}`)
      expect(() => change(stored, '{"url":"https://elsewhere.example/","headers":{}}')).toThrow(`body.config.headers.${name}`)
      expect(change(stored, `{"url":"https://elsewhere.example/","headers":{"${name}":"other"}}`)).toMatchObject({
        headers: { [name]: 'other' },
      })
      expect(change(stored, `{"url":"https://example.com/moved","headers":{"${name}":"***"}}`)).toMatchObject({
        headers: { [name]: 'secret' },
      })
    }
  })
})

describe('docs/channels.md', () => {
  const rows = readFileSync(new URL('../../../../docs/channels.md', import.meta.url), 'utf8').matchAll(
    /^\| `(\w+)`.*\| *(.*?) *\|$/gm,
  )
  const documented = new Map([...rows].map(([, type, config]) => [type as string, config as string]))

  it.each(CHANNEL_TYPES)('explains the configuration of %s', (type) => {
    const { shape } = channelOf(type).config as z.ZodObject
    const named = [...(documented.get(type) ?? '').matchAll(/`(\w+)`/g)].map(([, key]) => key as string)
    const required = Object.keys(shape).filter((key) => !shape[key].safeParse(undefined).success)
    expect(named).toEqual(expect.arrayContaining(required))
  })
})
