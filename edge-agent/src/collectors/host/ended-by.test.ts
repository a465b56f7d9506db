import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { leftOut, recordEnd } from './ended-by.ts'

const NOW = Date.UTC(2026, 10, 27)
const MINUTE = 60_000
let dir: string

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'haltless-ends-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const ends = (collector: string | null, ...minutesAgo: number[]) => {
  for (const minutes of minutesAgo) recordEnd(dir, { at: NOW - minutes * MINUTE, collector, fault: `fault of ${collector}` })
}

it('a collector is left out after five ends in ten minutes, and not after four', () => {
  ends('press', 9, 7, 5, 3)
  expect(leftOut(dir, NOW)).toEqual(new Map())
  ends('press', 1)
  expect(leftOut(dir, NOW)).toEqual(new Map([['press', 'fault of press']]))
})

it('ends before ten minutes do not count, nor those without a collector or of another one', () => {
  ends('press', 10, 7, 5, 3, 1)
  ends(null, 5, 4, 3, 2, 1)
  ends('oven', 4, 3, 2, 1)
  expect(leftOut(dir, NOW)).toEqual(new Map())
})

it('a damaged record is none, and is written anew', () => {
  writeFileSync(path.join(dir, 'ended-by.json'), '[{"at": 1}, 7, null, {"at"')
  expect(leftOut(dir, NOW)).toEqual(new Map())
  ends('press', 5, 4, 3, 2, 1)
  expect(leftOut(dir, NOW).size).toBe(1)
})

it('a disk that refuses the record ends nothing', () => {
  writeFileSync(path.join(dir, 'file'), '')
  expect(() => recordEnd(path.join(dir, 'file'), { at: NOW, collector: null, fault: '' })).not.toThrow()
})
