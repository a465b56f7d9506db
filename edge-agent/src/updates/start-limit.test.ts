import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Installation } from './installation.ts'
import { awaitTurn } from './start-limit.ts'

let dir: string
let now: number
let installation: Installation
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'haltless-starts-'))
  now = Date.UTC(2026, 0, 1)
  installation = new Installation(dir)
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** @returns how long the updater waits before it works, s */
async function start(): Promise<number> {
  let waited = 0
  const sleep = async (ms: number) => {
    waited += ms
    now += ms
  }
  await awaitTurn(installation, { now: () => now, sleep, log: () => {} })
  now += 1_000
  return waited / 1_000
}
async function starts(count: number): Promise<number[]> {
  const waits: number[] = []
  for (let i = 0; i < count; i++) waits.push(await start())
  return waits
}

it('the updater waits longer each time when starts follow each other, and never longer than ten minutes', async () => {
  expect(await starts(14)).toEqual([0, 0, 0, 0, 0, 10, 20, 40, 80, 160, 320, 600, 600, 600])
})

it('the updater starts at once after a quiet hour, and after its clock was set back', async () => {
  await starts(8)
  now += 3_600_000
  expect(await starts(6)).toEqual([0, 0, 0, 0, 0, 10])
  now -= 86_400_000
  expect(await start()).toBe(0)
})

it('a damaged count is none, and a disk without room for the count makes every start wait', async () => {
  mkdirSync(path.join(dir, 'update'))
  writeFileSync(path.join(dir, 'update/starts.json'), '{')
  expect(await start()).toBe(0)
  rmSync(path.join(dir, 'update'), { recursive: true })
  writeFileSync(path.join(dir, 'update'), '')
  expect(await starts(2)).toEqual([60, 60])
})
