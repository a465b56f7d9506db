import { describe, expect, it } from 'vitest'
import { hasOnlyKnownNumbers } from './check-numbers.ts'

describe('the numbers of a narrative', () => {
  it.each<[string, string, 'en' | 'de', boolean]>([
    ['score 72, 12.4 days', 'It has 12.4 days left, at 72.', 'en', true],
    ['score 72, 12.4 days', 'It has 12 days left.', 'en', false],
    ['limit 1,200', 'The limit is 1200.', 'en', true],
    ['limit 1.200,5', 'Die Grenze ist 1200,5.', 'de', true],
    ['limit 1.2', 'The limit is 1.20.', 'en', true],
    ['limit 1.2', 'The limit is 12.', 'en', false],
    ['press-01 has 3', 'press-01 has 3.', 'en', true],
    ['score 72', 'The score is ٧٢.', 'en', false],
    ['score 72', 'Nothing to say.', 'en', true],
    // a separator of thousands has three digits behind it
    ['score 72', 'It fails in 7,2 days.', 'en', false],
    ['score 72', 'Es versagt in 7.2 Tagen.', 'de', false],
    // what is no number equals only itself
    ['firmware 1.2.3', 'The firmware is 1.2.3.', 'en', true],
    ['firmware 1.2.3', 'The firmware is 4.5.6.', 'en', false],
    ['score 12', 'It is 1\u200b2.', 'en', false],
    // words are numbers too, except one, which is also an article
    ['score 72', 'It fails in twelve days.', 'en', false],
    ['12 days', 'It fails in Twelve days, and one stop is ongoing.', 'en', true],
    ['score 72', 'It fails in twenty-five days.', 'en', false],
    ['20 days, 5 stops', 'It fails in twenty-five days.', 'en', false],
    ['7 days', 'A seven-day window.', 'en', true],
    ['score 72', 'It fails in a dozen days.', 'en', false],
    ['Wert 72', 'Sie fällt in zwölf Tagen aus.', 'de', false],
    ['Wert 72', 'Sie fällt in fünfundzwanzig Tagen aus.', 'de', false],
    ['12 Tage', 'Einer dauert an, zwölf Tage.', 'de', true],
    ['Wert 72', 'Die Dreherei steht.', 'de', true],
  ])('of the facts "%s" in "%s" (%s): known %s', (facts, text, language, isKnown) => {
    expect(hasOnlyKnownNumbers(text, facts, language)).toBe(isKnown)
  })

  it('of names count only as part of the name', () => {
    const names = ['Press 12', 'kg/m3', '5', 'press-01 (a|b) [1]{2}.*^$+?\\']
    const facts = 'Press 12 has a score of 72. Flow is 40 kg/m3.'
    const isKnown = (text: string) => hasOnlyKnownNumbers(text, facts, 'en', names)
    expect(isKnown('press 12 is at 40 kg/m3.')).toBe(true)
    expect(isKnown('Press 12 fails in 12 days.')).toBe(false)
    expect(isKnown('Press 12 fails in 3 days.')).toBe(false)
    expect(isKnown('Press 125 has 72.')).toBe(false)
    // a name that is only a number permits nothing
    expect(isKnown('It fails in 5 days.')).toBe(false)
  })
})
