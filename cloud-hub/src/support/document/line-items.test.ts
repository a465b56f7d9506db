import { describe, expect, it } from 'vitest'
import { clustersOf, itemsOf, placeItems } from './line-items.ts'

/** The stretches of a line as a reader sees them, from left to right. */
const shown = (line: string) =>
  placeItems(line, 'regular')
    .sort((a, b) => a.x - b.x)
    .map(({ drawn }) => drawn)
const glyphNames = (line: string) =>
  placeItems(line, 'regular').flatMap(({ glyphs }) => glyphs?.map(({ glyph }) => glyph.name) ?? [])

describe('a line', () => {
  it('draws Arabic in its joined forms, from right to left', () => {
    expect(glyphNames('محمد')).toEqual(['uni062F.fina', 'uni0645.medi', 'uni062D.medi', 'uni0645.init'])
    expect(glyphNames('لا')).toEqual(['uni0627.fina.rlig', 'uni0644.init.rlig'])
  })

  it('draws conjuncts and vowels of Devanagari in their places', () => {
    expect(glyphNames('हिन्दी')).toEqual(['uni093F.03', 'uni0939', 'uni0928094D', 'uni0926', 'uni0940'])
    expect(glyphNames('र्क')).toEqual(['uni0915', 'uni0930094D'])
  })

  it('stacks the signs of Thai: a tone mark stands above the vowel', () => {
    expect(glyphNames('ที่')).toEqual(['uni0E17', 'uni0E35', 'uni0E48.small'])
  })

  it('joins the characters of one emoji to one glyph', () => {
    for (const emoji of ['🏭', '👩‍🔧', '🇩🇪']) expect(glyphNames(emoji)).toHaveLength(1)
  })

  it.each([
    ['Signed by محمد علي on', ['Signed by ', 'علي', ' ', 'محمد', ' on']],
    ['فني Press 7 محمد', ['محمد', ' ', 'Press 7', ' ', 'فني']],
    ['علي (محمد)', ['(', 'محمد', ') ', 'علي']],
    ['\u200fPress محمد', ['محمد', ' ', 'Press']],
    ['رقم ١٢٣', ['١٢٣', ' ', 'رقم']],
  ])('%s stands in the order of the Unicode bidirectional algorithm', (line, expected) => {
    expect(shown(line)).toEqual(expected)
  })

  it('stays in the order of reading as content, and its stretches neither overlap nor leave gaps', () => {
    const items = placeItems('Signed by محمد علي on', 'regular')
    expect(items.map(({ text }) => text)).toEqual(['Signed by ', 'محمد', ' ', 'علي', ' on'])
    let x = 0
    for (const item of items.sort((a, b) => a.x - b.x)) {
      expect(item.x).toBeCloseTo(x, 9)
      x += item.width
    }
  })

  it('is shaped in parts of at most 64 letters, and no cluster has more than 32', () => {
    for (const text of ['محمد'.repeat(200), 'क्'.repeat(500), '👩\u200d'.repeat(300)]) {
      const items = itemsOf(text, 'regular')
      expect(items.map((item) => item.text).join('')).toBe(text)
      for (const item of items) expect([...item.text].length).toBeLessThanOrEqual(64)
      for (const cluster of clustersOf(text)) expect([...cluster].length).toBeLessThanOrEqual(32)
    }
  })
})
