import { expect, it } from 'vitest'
import { createFormat } from './create-format.ts'

/** The hub's own sentences, which are outside of the console's project of TypeScript. */
const texts: string = new URL('../../../src/features/predictions/health/narratives/texts.ts', import.meta.url).href
const { describeFactors } = (await import(texts)) as { describeFactors(factors: object[], language: string): string[] }

it.each([
  [0, '0'],
  [-0.000_001, '-0,000001'],
  [1e-12, '1E-12'],
  [2.34567, '2,346'],
  [8005.4, '8.005'],
  [999_999_999_999, '999.999.999.999'],
  [1e300, '1E300'],
  [-123_456_789_012_345, '-1,235E14'],
])('the value %d is written %s in German', (value, text) => {
  expect(createFormat({ locale: 'de-DE', timeZone: 'Europe/Berlin', units: {} }).number(value)).toBe(text)
})

it('a German reason of a prediction names metrics in German', () => {
  const common = { metric: 'bearing_temperature', unit: 'celsius', isCritical: true }
  const sentences = describeFactors(
    [
      { ...common, kind: 'level', value: 90, limit: 85 },
      { ...common, kind: 'drift', sigma: 3.5 },
      { ...common, kind: 'forecast', limit: 85, days: 12, low: 9, high: 20 },
      { ...common, kind: 'level', metric: 'own_metric', value: 90, limit: 85 },
    ],
    'de',
  )
  const german = createFormat({ locale: 'de-DE', timeZone: 'Europe/Berlin', units: {} })
  const begins = german.metricSentences(sentences.join(' ')).match(/\S+ (?:metric )?(?=liegt|erreicht)/g)
  expect(begins).toEqual(['Lagertemperatur ', 'Lagertemperatur ', 'Lagertemperatur ', 'Own metric '])
})

it('a line never ends between a number and its unit', () => {
  const format = createFormat({ locale: 'en-GB', timeZone: 'UTC', units: {} })
  expect([format.value(62.4, 'celsius'), format.spread(2, 'bar'), format.percent(98), format.value(3, '')]).toEqual([
    '62.4\u00a0°C',
    '2\u00a0bar',
    '98\u00a0%',
    '3',
  ])
})
