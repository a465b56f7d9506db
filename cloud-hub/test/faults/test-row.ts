import { expect, it } from 'vitest'
import { type FaultRow, runRow } from '../../faults/row.ts'

/** The short form of `npm run faults`, always with the same random moments. */
const SEED = 1

/** Defines the test of one row: a file of this folder, so that the rows are divided among the workers. */
export function testRow(row: FaultRow): void {
  it(`${row.name}: ${row.what}`, { timeout: 600_000 }, async () => {
    const report = await runRow(row, { short: true, seed: SEED })
    if (report.notRun) return console.warn(`${row.name} did not run: ${report.notRun}`)
    const { passed, failures, lost, declared, invented, altered, doubled } = report
    const wanted = { passed: true, failures: [], lost: row.area === 'hub' ? 0 : declared, invented: 0, altered: 0, doubled: 0 }
    expect({ passed, failures, lost, invented, altered, doubled }).toEqual(wanted)
  })
}
