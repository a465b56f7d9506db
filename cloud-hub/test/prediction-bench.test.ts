import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readCmapss } from '../bench/predictions/c-mapss.ts'
import { type Decision, scoresAt } from '../bench/predictions/evaluate.ts'
import { writeEngines } from './support/c-mapss.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'haltless-cmapss '))
afterAll(() => rmSync(folder, { recursive: true }))
writeEngines(folder)

describe('files of C-MAPSS', () => {
  it('teach the limits by half of the engines, and give the other half', () => {
    const [file] = readCmapss(folder)
    expect(file?.machines.map(({ failsOnDay }) => failsOnDay)).toEqual([70, 85])
    const [machine] = file?.machines ?? []
    expect(machine?.metrics.map(({ name }) => name)).toEqual(['sensor 1'])
    expect(machine?.metrics[0]?.days).toHaveLength(70)
    const { warning = 0, critical = 0 } = machine?.metrics[0]?.limits ?? {}
    expect(critical).toBeGreaterThan(649)
    expect(warning).toBeLessThan(critical)
  })
  it('are refused where a row is no row of numbers, and a folder without any', () => {
    const bad = path.join(folder, 'bad')
    const empty = mkdtempSync(path.join(folder, 'empty'))
    expect(() => readCmapss(empty)).toThrow('no file train_FD001.txt')
    writeFileSync(path.join(empty, 'train_FD002.txt'), '1 1 0 0 100 640\n1 2 x 0 100 641\n')
    expect(() => readCmapss(empty)).toThrow('train_FD002.txt: row 2')
    expect(() => readCmapss(bad)).toThrow()
  })
})

describe('the scores of predictions', () => {
  it('are those worked out by hand', () => {
    const of = (actual: number | null, days: number | null): Decision => ({
      actual,
      days,
      interval: days === null ? null : { low: days - 2, high: days + 2 },
    })
    const decisions = [of(20, 25), of(14, 10), of(7, 9), of(7, null), of(null, 12), of(null, null), of(40, 8)]
    // predicted within 14: 10 9 12 8, right are two; ahead within 14: three
    expect(scoresAt(14, decisions)).toEqual({
      precision: 0.5,
      recall: 2 / 3,
      f1: expect.closeTo(4 / 7, 12),
      error: 4,
      known: 1,
      inside: 0,
    })
    expect(scoresAt(7, decisions)).toEqual({ precision: null, recall: 0, f1: null, error: 2, known: 0.5, inside: 1 })
  })
})
