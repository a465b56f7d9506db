import { createTranslator } from 'use-intl'
import { describe, expect, it } from 'vitest'
import { fieldErrors as de } from './de/field-errors.ts'
import { fieldErrors as en } from './en/field-errors.ts'

/** The hub's own list, which is outside of the console's project of TypeScript. */
const codes: string = new URL('../../../src/error-codes/field-messages.ts', import.meta.url).href
const { FIELD_MESSAGES } = (await import(codes)) as { FIELD_MESSAGES: Record<string, string> }

/** A value for each parameter of a code; the console shows bytes as megabytes. */
const valuesOf = (message: string) =>
  Object.fromEntries(
    [...message.matchAll(/\{(\w+)\}/g)].map(([, name]) => (name === 'bytes' ? ['megabytes', 20] : [name, 1_500])),
  )

describe('the texts of field errors', () => {
  it.each([
    ['English', 'en', en],
    ['German', 'de', de],
  ] as const)('are made from the parameters of each code: %s', (_language, locale, texts) => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(FIELD_MESSAGES).sort())
    const onError = (error: Error) => {
      throw error
    }
    const t = createTranslator({ locale, messages: texts as Record<string, string>, onError }) as (
      key: string,
      values: object,
    ) => string
    for (const [code, message] of Object.entries(FIELD_MESSAGES)) expect(t(code, valuesOf(message))).not.toMatch(/[{}]/)
    expect(t('max_characters', { limit: 1_500 })).toContain(locale === 'de' ? '1.500 Zeichen' : '1,500 characters')
  })
})
