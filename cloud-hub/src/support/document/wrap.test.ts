import { describe, expect, it } from 'vitest'
import { readable, textWidth } from './fonts.ts'
import { wrap } from './wrap.ts'

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
})
