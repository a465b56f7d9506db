import { mkdtempSync, readdirSync, rmSync, type StatsFs, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Clock } from '../support/clock.ts'
import { createLogger } from '../support/logger.ts'
import { DatabaseFile } from './database-file.ts'
import { DiskReserve } from './disk-reserve.ts'

/** what the file system says of its size, in place of the truth */
const { reported } = vi.hoisted(() => ({ reported: { size: null as (() => Partial<StatsFs>) | null } }))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return { ...fs, statfsSync: (path: string) => reported.size?.() ?? fs.statfsSync(path) }
})

let folder: string
let time: number
const clock: Clock = { now: () => time, monotonic: () => time, sleep: () => Promise.resolve() }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reserve-'))
  time = 0
})
afterEach(() => {
  reported.size = null
  rmSync(folder, { recursive: true })
})

it('takes its space once, gives it back once, and takes it again', () => {
  const reserve = new DiskReserve(join(folder, 'x'))
  expect([reserve.release(), reserve.hold(), reserve.hold()]).toEqual([false, true, true])
  expect(statSync(join(folder, 'x.reserve')).blocks * 512).toBeGreaterThanOrEqual(5 * 1_048_576)
  expect([reserve.release(), reserve.release(), reserve.hold()]).toEqual([true, false, true])
})

it('where nothing can be written it holds nothing, and leaves no half of it', () => {
  const reserve = new DiskReserve(join(folder, 'nowhere', 'x'))
  expect([reserve.hold(), reserve.release()]).toEqual([false, false])
  expect(readdirSync(folder)).toEqual([])
})

it('a file on a full disk grows no further than what was held back, and grows on once there is room again', () => {
  const file = new DatabaseFile({ file: join(folder, 'b.sqlite'), clock, logger: createLogger('silent') })
  const most = () => file.db.pragma('max_page_count', { simple: true }) as number
  const unlimited = most()
  expect(file.stopGrowing()).toBe(true)
  expect(readdirSync(folder)).not.toContain('b.sqlite.reserve')
  expect(most()).toBe(file.db.pragma('page_count', { simple: true }))
  expect(file.db.pragma('freelist_count', { simple: true })).toBeGreaterThan(600)
  expect(statSync(join(folder, 'b.sqlite')).size).toBeGreaterThan(600 * 4_096)
  expect(file.stopGrowing()).toBe(false)
  time = 59_000
  file.putBack()
  expect(readdirSync(folder)).not.toContain('b.sqlite.reserve')
  time = 61_000
  file.putBack()
  expect(readdirSync(folder)).toContain('b.sqlite.reserve')
  expect(most()).toBe(unlimited)
  expect(file.stopGrowing()).toBe(true)
  file.close()
  expect(() => new Database(join(folder, 'b.sqlite')).close()).not.toThrow()
})

it.each<[string, () => Partial<StatsFs>]>([
  ['reports no blocks', () => ({ blocks: 0, bavail: 0, bsize: 4_096 })],
  [
    'reports nothing at all',
    () => {
      throw Object.assign(new Error('ENOSYS: function not implemented, statfs'), { code: 'ENOSYS' })
    },
  ],
])('a buffer on a file system that %s may grow', (_, size) => {
  reported.size = size
  const file = new DatabaseFile({ file: join(folder, 'b.sqlite'), clock, logger: createLogger('silent') })
  try {
    expect(file.db.pragma('max_page_count', { simple: true })).toBeGreaterThan(1_000_000)
    expect(readdirSync(folder)).toContain('b.sqlite.reserve')
    // a disk that is full all the same is found so by writing
    expect(file.stopGrowing()).toBe(true)
    expect(file.db.pragma('freelist_count', { simple: true })).toBeGreaterThan(600)
  } finally {
    file.close()
  }
})
