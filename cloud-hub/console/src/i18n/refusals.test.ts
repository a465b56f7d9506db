import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { de } from './de/refusals.ts'
import { en as app } from './en/app.ts'
import { en } from './en/refusals.ts'

/** The hub's own list, which is outside of the console's project of TypeScript. */
const codes: string = new URL('../../../src/error-codes/index.ts', import.meta.url).href
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

it('every code of a rejected reading has a text, or a reason that the console words', () => {
  const files = ['accept.ts', 'json-submission.ts', 'rejections.ts', 'submission.ts']
  const codesFound = files.flatMap((file) => {
    const source = readFileSync(new URL(`../../../src/features/telemetry/ingest/${file}`, import.meta.url), 'utf8')
    return [...source.matchAll(/code: '(\w+)'/g)].map(([, code]) => code)
  })
  const known = [...Object.keys(app.agents.rejections), 'unknown_machine']
  expect(codesFound.filter((code) => !known.includes(code as string))).toEqual([])
  expect(codesFound.length).toBeGreaterThanOrEqual(11)
})
