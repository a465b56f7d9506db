import { expect, it } from 'vitest'
import { describeFactors } from './texts.ts'

it.each([
  ['de', ['Lagertemperatur liegt', 'Lagertemperatur erreicht', 'Own metric liegt']],
  ['en', ['Bearing temperature is', 'Bearing temperature reaches', 'Own metric is']],
] as const)('the reasons of a prediction name metrics in the language of the reader: %s', (language, begins) => {
  const common = { metric: 'bearing_temperature', unit: 'celsius', isCritical: true } as const
  const sentences = describeFactors(
    [
      { ...common, kind: 'level', value: 90, limit: 85, penalty: 1 },
      { ...common, kind: 'forecast', limit: 85, days: 12, low: 9, high: 20, penalty: 1 },
      { ...common, kind: 'level', metric: 'own_metric', value: 90, limit: 85, penalty: 1 },
    ] as never,
    language,
  )
  for (const [i, begin] of begins.entries()) expect(sentences[i]).toMatch(new RegExp(`^${begin} `))
})
