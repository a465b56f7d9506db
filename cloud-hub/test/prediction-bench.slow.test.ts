import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { writeEngines } from './support/c-mapss.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'haltless-cmapss '))
afterAll(() => rmSync(folder, { recursive: true }))
writeEngines(folder)

describe('npm run bench -- predictions', () => {
  it('shows that predictions beat linear extrapolation and threshold alerts at every horizon', { timeout: 300_000 }, async () => {
    const main = path.join(import.meta.dirname, '../bench/main.ts')
    const run = await promisify(execFile)(process.execPath, [main, '--short', '--cmapss', folder, 'predictions'])
    const lines = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (const horizon of [30, 14, 7]) {
      const of = (predictor: string) =>
        lines.find(
          (line) => line.row === 'predictions.simulated' && line.predictor === predictor && line.horizon_days === horizon,
        )
      const own = of('haltless')
      for (const other of [of('linear extrapolation'), of('threshold alert')]) {
        expect(own.machines).toBeGreaterThanOrEqual(100)
        expect(own.f1).toBeGreaterThan(other.f1)
      }
    }
    expect(lines.filter(({ row }) => row === 'predictions.cmapss train_FD001.txt')).toHaveLength(12)
  })
})
