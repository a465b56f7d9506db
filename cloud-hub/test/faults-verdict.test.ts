import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Comparison, EMPTY_COMPARISON } from '../faults/compare.ts'
import { type FaultRow, NotRun, type RowContext, type RowOutcome, runRow } from '../faults/row.ts'

const GOOD: Comparison = { ...EMPTY_COMPARISON, readings: 100 }

const row = (run: (context: RowContext) => RowOutcome | Promise<RowOutcome>, more: Partial<FaultRow> = {}): FaultRow => ({
  name: 'row',
  area: 'edge',
  what: 'for this test',
  run: async (context) => run(context),
  ...more,
})
const resultOf = (outcome: RowOutcome, more?: Partial<FaultRow>) =>
  runRow(
    row(() => outcome, more),
    { short: true, seed: 1 },
  )

describe('a row of npm run faults', () => {
  it('passes when readings were sent and the database holds exactly these', async () => {
    expect(await resultOf({ counts: GOOD })).toMatchObject({ passed: true, failures: [], readings: 100 })
  })

  it.for(['lost', 'invented', 'altered', 'doubled'] as const)('fails with one reading %s', async (fault) => {
    const { passed, failures } = await resultOf({ counts: { ...GOOD, [fault]: 1, examples: ['m0/metric_0 = 1'] } })
    expect({ passed, failures }).toEqual({ passed: false, failures: ['m0/metric_0 = 1'] })
  })

  it('fails when nothing was sent', async () => {
    expect(await resultOf({ counts: EMPTY_COMPARISON })).toMatchObject({ passed: false })
  })

  it('passes when lost equals declared dropped, but only a row that limits the buffer may drop', async () => {
    const outcome = { counts: { ...GOOD, lost: 7, examples: ['m0/metric_0 = 1'] }, declared: 7 }
    expect(await resultOf(outcome, { mayDropReadings: true })).toMatchObject({ passed: true, failures: [], examples: [] })
    expect(await resultOf({ ...outcome, declared: 6 }, { mayDropReadings: true })).toMatchObject({ passed: false })
    expect(await resultOf({ ...outcome, declared: 8 }, { mayDropReadings: true })).toMatchObject({ passed: false })
    expect(await resultOf(outcome)).toMatchObject({ passed: false })
  })

  it('fails when the hub confirmed a reading that is missing, even if it was declared dropped', async () => {
    const counts = { ...GOOD, lost: 1, falselyAccepted: 1 }
    expect(await resultOf({ counts, declared: 1 }, { mayDropReadings: true })).toMatchObject({ passed: false })
  })

  it('does not pass when it reports a failure, throws, or cannot run', async () => {
    const options = { short: true, seed: 1 }
    const failing = row((context) => {
      context.reportFailure('not as promised')
      return { counts: GOOD }
    })
    expect(await runRow(failing, options)).toMatchObject({ passed: false, failures: ['not as promised'] })
    const broken = row(() => Promise.reject(new Error('the hub could not start')))
    expect(await runRow(broken, options)).toMatchObject({
      passed: false,
      failures: ['it failed: the hub could not start'],
    })
    const lacking = row(() => Promise.reject(new NotRun('needs root')))
    expect(await runRow(lacking, options)).toMatchObject({ passed: false, notRun: 'needs root' })
  })

  it('cleans up in reverse order when it is aborted, also what it starts afterwards', async () => {
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
    expect(await running).toMatchObject({ passed: false, failures: ['it failed: it was stopped'] })
    expect(undone).toEqual(['second', 'first'])
    expect(existsSync(dir)).toBe(false)
    goOn.resolve()
    await late.promise
    expect(undone).toEqual(['second', 'first', 'late'])
  })
})
