import { describe, expect, it } from 'vitest'
import { de as deApp } from './de/app.ts'
import { de as deBase } from './de/base.ts'
import { en as enApp } from './en/app.ts'
import { en as enBase } from './en/base.ts'

/** Texts by their path, such as `signIn.title`. */
function textsOf(messages: object, prefix = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [key, value] of Object.entries(messages)) {
    if (typeof value === 'string') found.set(prefix + key, value)
    else for (const entry of textsOf(value, `${prefix}${key}.`)) found.set(...entry)
  }
  return found
}

/** The names of the arguments of an ICU message, and its kind of argument. Source: ICU MessageFormat */
const placeholders = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+)(?:, (plural|select))?[,}]/g)].map(([, name, kind = '']) => `${name} ${kind}`))].sort()

describe('the German texts', () => {
  it.each([
    ['base', enBase, deBase],
    ['app', enApp, deApp],
  ])('have the placeholders of the English ones: %s', (_part, en, de) => {
    const german = textsOf(de)
    for (const [key, text] of textsOf(en)) expect([key, placeholders(german.get(key) ?? '')]).toEqual([key, placeholders(text)])
    expect([...german.keys()]).toEqual([...textsOf(en).keys()])
  })
})
