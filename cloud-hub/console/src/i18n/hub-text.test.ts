import { describe, expect, it } from 'vitest'
import { de } from './de/refusals.ts'
import { en } from './en/refusals.ts'

/** The hub's own list, which is outside of the console's project of TypeScript. */
const codes: string = new URL('../../../src/support/error-codes/index.ts', import.meta.url).href
const { ERROR_CODES } = (await import(codes)) as { ERROR_CODES: object }

describe('the refusals of the hub', () => {
  it.each([
    ['English', en],
    ['German', de],
  ])('have a text for each code: %s', (_language, { refusals }) => {
    expect(Object.keys(ERROR_CODES).filter((code) => !(code in refusals))).toEqual([])
  })
  it('have no text for a code that the hub does not know', () => {
    expect(Object.keys(en.refusals).filter((code) => !(code in ERROR_CODES))).toEqual([])
  })
})
