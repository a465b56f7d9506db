import { describe, expect, it } from 'vitest'
import { fillSlots } from './fill-slots.ts'

const VALUES = ['Press 12', '72', '100', 'mm/s', '12.4']

describe('a text with slots', () => {
  it.each([
    ['{1} has a score of {2} of {3}.', 'Press 12 has a score of 72 of 100.'],
    ['Plan the work ({5} days); "{1}" wears out.', 'Plan the work (12.4 days); "Press 12" wears out.'],
    ['The limit is {2} {4}, and {2} again.', 'The limit is 72 mm/s, and 72 again.'],
    ['A {5}-day window.', 'A 12.4-day window.'],
    ['Die Maschine ist einfach zu warten: ein Lager und eine Welle. Achten Sie darauf, außerhalb und innerhalb.', null],
    ['None of it is new; often the tone of someone says more.', null],
    ['Ｗear of ｛１｝ is high.', 'Wear of Press 12 is high.'],
  ])('"%s" is filled', (text, filled) => {
    expect(fillSlots(text, VALUES)).toEqual({ text: filled ?? text })
  })

  it.each([
    ['digit', 'It fails in 3 days.'],
    ['digit', 'It has {2}5 points.'],
    ['digit', 'Wert ٧٢, ½ und ②.'],
    ['digit', 'Twenty² of {2}.'],
    ['number word', 'It fails in twelve days.'],
    ['number word', 'It fails in twenty-five days, twice.'],
    ['number word', 'At half of its limit, the second time.'],
    ['number word', 'Sie fällt in zwölf Tagen aus.'],
    ['number word', 'Sie fällt in fünfundzwanzig Tagen aus.'],
    ['number word', 'Einundzwanzig Alarme stehen an.'],
    ['number word', 'Ein dreitägiger Stillstand.'],
    ['number word', 'Der dritte Alarm, zweimal, zur Hälfte.'],
    ['number word', 'In XII days.'],
    ['number word', 'It lasts a trillion hours, halved.'],
    ['number word', 'Es dauert zweieinhalb Tage.'],
    ['number word', 'Es dauert anderthalb Tage.'],
    ['number word', 'Die Last hat sich verdoppelt.'],
    ['number word', 'In fuenf Tagen.'],
    ['digit', 'In 三 days.'],
    ['address', 'Call https://evil.example now.'],
    ['address', 'Ask ada@example.com.'],
    ['address', 'See evil.example for help.'],
    ['address', 'See evil。example for help.'],
    ['adjoins', 'Visit {1}.com now.'],
    ['address', 'Write to mailto:ada, or www.evil.'],
    ['unknown slot', 'It has {6} days.'],
    ['unknown slot', 'It has {0} days.'],
    ['unknown slot', 'It has {02} points.'],
    ['unknown slot', 'It has {99999999999999999999} days.'],
    ['unknown slot', '{name} has { 2 } points.'],
    ['adjoins', 'It has {2}{3} points.'],
    ['adjoins', 'It has {2} {5} points.'],
    ['adjoins', 'It has {2}.{5} points.'],
    ['adjoins', 'It has -{2} points.'],
    ['adjoins', 'It has {2}fold points.'],
    ['too long', '{1} '.repeat(400)],
  ])('is refused for a %s: "%s"', (reason, text) => {
    expect(fillSlots(text, VALUES)).toEqual({ reason: expect.stringContaining(reason) })
  })
})
