import { describe, expect, it } from 'vitest'
import { readable, textWidth } from './fonts.ts'
import { cut, wrap } from './wrap.ts'

describe('lines', () => {
  const lines = (text: string, width = 100) => wrap(readable(text).text, 'regular', 10, width)

  it('fit the width, break between words and between Chinese characters, and keep every letter', () => {
    const text = 'Spindle bearing 更换主轴轴承并检查两个轴的对准情况。スピンドルベアリング Fräsmaschinenspindellagerschmierung'
    for (const line of lines(text)) expect(textWidth(line, 'regular', 10)).toBeLessThanOrEqual(100)
    expect(lines(text).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
    expect(lines('one two three', 45)).toEqual(['one two', 'three'])
  })

  it('do not begin with punctuation that belongs to the character before it', () => {
    for (let width = 41; width < 200; width += 7)
      for (const line of lines('更换主轴，检查两个轴。完成「对准」。', width).slice(1)) expect(line).not.toMatch(/^[，。」]/)
  })

  it('keep line breaks of the text, and composed letters', () => {
    expect(lines('a\r\nb\n\nc')).toEqual(['a', 'b', '', 'c'])
    expect(readable('Ţițeiș'.normalize('NFD'))).toEqual({ text: 'Ţițeiș', hasUnknown: false })
    expect(readable('a\u0000\u200bb\tc')).toEqual({ text: 'ab c', hasUnknown: false })
  })

  it('never divide a letter and its signs or joined emoji, and break Thai between words', () => {
    const segmenter = new Intl.Segmenter('en')
    const clusters = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment)
    for (const text of ['हिन्दीक्षत्रिय'.repeat(20), 'مُحَمَّد'.repeat(20), '👩‍🔧👍🏽🇩🇪'.repeat(20), 'ที่นี่น้ำผู้ใหญ่'.repeat(20)])
      for (let width = 9; width < 120; width += 13) {
        const parts = lines(text, width).map((line) => line.replace('\u200f', ''))
        expect(parts.length).toBeGreaterThan(1)
        expect(parts.flatMap(clusters)).toEqual(clusters(readable(text).text))
        if (width > 60) for (const part of parts) expect(textWidth(part, 'regular', 10)).toBeLessThanOrEqual(width)
      }
    expect(lines('ตรวจสอบเครื่องจักร', 50)).toEqual(['ตรวจสอบ', 'เครื่องจักร'])
    expect(cut(readable('हिन्दीक्षत्रिय'.repeat(9)).text, 'regular', 10, 40)).toMatch(/^(हि|न्दी|क्ष|त्रि|य)+…$/)
  })

  it('of a right-to-left paragraph say so at their start', () => {
    expect(lines('محمد Press 7', 40)).toEqual(['\u200fمحمد', '\u200fPress 7'])
    expect(lines('Press محمد', 30)).toEqual(['Press', 'محمد'])
  })
})
