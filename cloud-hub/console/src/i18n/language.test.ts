import { languageOf } from '@haltless/protocol/languages'
import { expect, it } from 'vitest'
import { formatLocaleOf } from './language.ts'

it('numbers and dates follow the first locale that is one, and texts the first language that the console speaks', () => {
  expect(formatLocaleOf(['en-US@posix', 'de-AT', 'en'])).toBe('de-AT')
  expect(formatLocaleOf(['C.UTF-8'])).toBe('en')
  expect(languageOf('fr-CH', 'de-CH', 'en')).toBe('de')
  expect(languageOf('en-US@posix')).toBe('en')
})
