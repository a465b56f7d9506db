import { expect, it } from 'vitest'
import { figuresOf } from './suggestion-reason.ts'

/** The hub's own sentences, which are outside of the console's project of TypeScript. */
const texts: string = new URL('../../../../src/features/alerting/rules/suggestions/texts.ts', import.meta.url).href
const { TEXTS, numberIn } = (await import(texts)) as {
  TEXTS: { en: { reason(suggestion: object, number: (value: number) => string): string } }
  numberIn(language: 'en'): (value: number) => string
}

it.each([
  { readingCount: 10_080, machineCount: 2, median: 1_022.5, sigma: 8e-7, isHigh: false, unit: 'mm/s' },
  { readingCount: 30, machineCount: 1, median: -4, sigma: 0.25, isHigh: true, unit: 'celsius' },
])('the figures of a suggestion are read from its English reason', (suggestion) => {
  const { readingCount, machineCount, median, sigma, isHigh } = suggestion
  expect(figuresOf(TEXTS.en.reason(suggestion, numberIn('en')))).toEqual({
    readings: readingCount,
    machines: machineCount,
    usual: median,
    spread: sigma,
    side: isHigh ? 'above' : 'below',
  })
})

it('a reason of another form has no figures', () => {
  expect(figuresOf('Because.')).toBeNull()
})
