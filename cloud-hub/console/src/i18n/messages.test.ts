import { describe, expect, it } from 'vitest'
import { de as deApp } from './de/app.ts'
import { de as deBase } from './de/base.ts'
import { de as deRefusals } from './de/refusals.ts'
import { en as enApp } from './en/app.ts'
import { en as enBase } from './en/base.ts'
import { en as enRefusals } from './en/refusals.ts'

/** Texts by their path, such as `signIn.title`. */
function textsOf(messages: object, prefix = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [key, value] of Object.entries(messages)) {
    if (typeof value === 'string') found.set(prefix + key, value)
    else for (const entry of textsOf(value, `${prefix}${key}.`)) found.set(...entry)
  }
  return found
}

/**
 * The arguments of an ICU message with their kind, such as `count plural`; those within the choices of a plural or
 * select count, the texts of the choices do not. Source: ICU MessageFormat
 */
function placeholders(text: string): string[] {
  const found = new Set<string>()
  let at = 0
  const skipSpace = () => {
    while (/\s/.test(text[at] ?? '')) at++
  }
  /** From behind a `{`, or the start, to the `}` that ends this message, or the end. */
  const message = () => {
    while (at < text.length && text[at] !== '}') if (text[at++] === '{') argument()
    at++
  }
  const argument = () => {
    const [head, name, kind = ''] = /^\s*(\w+)\s*(?:,\s*(\w+)\s*,?)?/.exec(text.slice(at)) ?? ['', '', '']
    found.add(`${name} ${kind}`)
    at += head.length
    for (skipSpace(); at < text.length && text[at] !== '}'; skipSpace()) if (text[at++] === '{') message()
    at++
  }
  message()
  return [...found].sort()
}

describe('the German texts', () => {
  it('are compared by the arguments of a message, not by the words of its choices', () => {
    expect(
      placeholders('{name}: {side, select, above {over {limit}} other {below}} {n, plural, one {# day} other {# days}}'),
    ).toEqual(['limit ', 'n plural', 'name ', 'side select'])
  })

  it.each([
    ['base', enBase, deBase],
    ['app', enApp, deApp],
    ['refusals', enRefusals, deRefusals],
  ])('have the placeholders of the English ones: %s', (_part, en, de) => {
    const german = textsOf(de)
    for (const [key, text] of textsOf(en)) expect([key, placeholders(german.get(key) ?? '')]).toEqual([key, placeholders(text)])
    expect([...german.keys()]).toEqual([...textsOf(en).keys()])
  })
})
