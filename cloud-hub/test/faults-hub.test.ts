import { describe, expect, it } from 'vitest'
import { runRow } from '../faults/row.ts'
import { allRows } from '../faults/rows.ts'

/** The short forms of `npm run faults -- hub`, always with the same random moments. */
const SEED = 1

describe('nothing is lost, invented, altered or doubled, and the row keeps its own promise:', () => {
  it.each(allRows.filter(({ area }) => area === 'hub').map((row) => [`${row.name}: ${row.what}`, row] as const))(
    '%s',
    { timeout: 120_000 },
    async (_, row) => {
      const { notRun, held, complaints, lost, invented, altered, doubled } = await runRow(row, { short: true, seed: SEED })
      if (notRun) return console.warn(`${row.name} did not run: ${notRun}`)
      expect({ held, complaints, lost, invented, altered, doubled }).toEqual({
        held: true,
        complaints: [],
        lost: 0,
        invented: 0,
        altered: 0,
        doubled: 0,
      })
    },
  )
})
