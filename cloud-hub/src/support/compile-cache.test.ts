import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { pruneCompileCache } from './compile-cache.ts'

const OWN = `${process.version}-${process.arch}-964aae3f-0`
let dir: string
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'haltless-cache-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Entries of 10 bytes; the first is the oldest. */
function fill(folder: string, names: string[]): void {
  mkdirSync(path.join(dir, folder))
  for (const [i, name] of names.entries()) {
    writeFileSync(path.join(dir, folder, name), '0123456789')
    utimesSync(path.join(dir, folder, name), 1_000 + i, 1_000 + i)
  }
}

it('a cache below the maximum keeps all entries of this Node', () => {
  fill(OWN, ['a', 'b', 'c'])
  pruneCompileCache({ dir, maxBytes: 30 })
  expect(readdirSync(path.join(dir, OWN))).toEqual(['a', 'b', 'c'])
})

it('a cache above the maximum loses its oldest entries until half of the maximum is left', () => {
  fill(OWN, ['d', 'c', 'b', 'a', 'e', 'f'])
  pruneCompileCache({ dir, maxBytes: 50 })
  expect(readdirSync(path.join(dir, OWN))).toEqual(['e', 'f'])
})

it('the entries of another Node version are removed', () => {
  fill(OWN, ['a'])
  fill('v20.20.2-x64-0badcafe-0', ['a'])
  pruneCompileCache({ dir })
  expect(readdirSync(dir)).toEqual([OWN])
})

it('a cache that does not exist stays so', () => {
  const none = path.join(dir, 'none')
  pruneCompileCache({ dir: none })
  expect(existsSync(none)).toBe(false)
})
