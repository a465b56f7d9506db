import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Comparison, NOTHING } from '../faults/compare.ts'
import { type FaultRow, NotRun, type RowContext, type RowOutcome, runRow } from '../faults/row.ts'

const GOOD: Comparison = { ...NOTHING, readings: 100 }

const row = (run: (context: RowContext) => RowOutcome | Promise<RowOutcome>, more: Partial<FaultRow> = {}): FaultRow => ({
  name: 'row',
  area: 'edge',
  what: 'for this test',
  run: async (context) => run(context),
  ...more,
})
const judged = (outcome: RowOutcome, more?: Partial<FaultRow>) =>
  runRow(
    row(() => outcome, more),
    { short: true, seed: 1 },
  )

describe('a row of npm run faults', () => {
  it('holds when something was sent and all of it is there as it was sent', async () => {
    expect(await judged({ counts: GOOD })).toMatchObject({ held: true, complaints: [], readings: 100 })
  })

  it.for(['lost', 'invented', 'altered', 'doubled'] as const)('does not hold with one reading %s', async (fault) => {
    const { held, complaints } = await judged({ counts: { ...GOOD, [fault]: 1, examples: ['m0/metric_0 = 1'] } })
    expect({ held, complaints }).toEqual({ held: false, complaints: ['m0/metric_0 = 1'] })
  })

  it('does not hold when nothing was sent', async () => {
    expect(await judged({ counts: NOTHING })).toMatchObject({ held: false })
  })

  it('loses what was declared dropped, to the reading, where it takes the room away, and nowhere else', async () => {
    const outcome = { counts: { ...GOOD, lost: 7, examples: ['m0/metric_0 = 1'] }, declared: 7 }
    expect(await judged(outcome, { mayDrop: true })).toMatchObject({ held: true, complaints: [], examples: [] })
    expect(await judged({ ...outcome, declared: 6 }, { mayDrop: true })).toMatchObject({ held: false })
    expect(await judged({ ...outcome, declared: 8 }, { mayDrop: true })).toMatchObject({ held: false })
    expect(await judged(outcome)).toMatchObject({ held: false })
  })

  it('does not hold when a yes was false, whatever was declared', async () => {
    const counts = { ...GOOD, lost: 1, falseYes: 1 }
    expect(await judged({ counts, declared: 1 }, { mayDrop: true })).toMatchObject({ held: false })
  })

  it('does not hold when it complained, broke off, or could not run', async () => {
    const options = { short: true, seed: 1 }
    const complaining = row((context) => {
      context.complain('not as promised')
      return { counts: GOOD }
    })
    expect(await runRow(complaining, options)).toMatchObject({ held: false, complaints: ['not as promised'] })
    const broken = row(() => Promise.reject(new Error('the hub could not start')))
    expect(await runRow(broken, options)).toMatchObject({
      held: false,
      complaints: ['it could not go on: the hub could not start'],
    })
    const lacking = row(() => Promise.reject(new NotRun('needs root')))
    expect(await runRow(lacking, options)).toMatchObject({ held: false, notRun: 'needs root' })
  })

  it('that is stopped undoes what it did, last first, and at once what it still begins', async () => {
    const stopping = new AbortController()
    const undone: string[] = []
    const begun = Promise.withResolvers<void>()
    const [goOn, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let dir = ''
    const running = runRow(
      row(async (context) => {
        dir = context.dir
        context.defer(() => undone.push('first'))
        context.defer(() => undone.push('second'))
        begun.resolve()
        await goOn.promise
        context.defer(() => {
          undone.push('late')
          late.resolve()
        })
        return { counts: GOOD }
      }),
      { short: true, seed: 1, signal: stopping.signal },
    )
    await begun.promise
    stopping.abort()
    expect(await running).toMatchObject({ held: false, complaints: ['it could not go on: it was stopped'] })
    expect(undone).toEqual(['second', 'first'])
    expect(existsSync(dir)).toBe(false)
    goOn.resolve()
    await late.promise
    expect(undone).toEqual(['second', 'first', 'late'])
  })
})
