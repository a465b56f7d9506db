import { constants } from 'node:os'
import { Command, InvalidArgumentError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { runMutants } from './mutants/run.ts'
import { jsonReport, NAME_WIDTH, tableReport } from './report.ts'
import { type FaultRow, removeLeftovers, runRow } from './row.ts'
import { allRows } from './rows.ts'

const AREAS = ['hub', 'edge', 'all', 'mutants'] as const
type Area = (typeof AREAS)[number]

const whole = (text: string) => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/**
 * `npm run faults -- hub|edge|all [ROW...]` exits with an error unless every row passes. `mutants` exits with an error unless
 * every mutant is detected. docs/faults.md explains both.
 */
await new Command('faults')
  .description('Injects faults into a running system, then compares what was sent with the database.')
  .version(packageJson.version)
  .argument('<area>', AREAS.join(', '))
  .argument('[row...]', 'run only these rows')
  .option('--short', 'run the short form, as npm run test:slow does')
  .option('--seed <n>', 'repeat the random moments of an earlier run', whole)
  .option('--json', 'print one JSON line per row')
  .addHelpText('after', () => `\nRows:\n${allRows.map((row) => `  ${row.name.padEnd(NAME_WIDTH)}  ${row.what}`).join('\n')}`)
  .action(async (area: Area, names: string[], options: { short?: boolean; seed?: number; json?: boolean }) => {
    const inArea = allRows.filter((row) => area === 'all' || area === 'mutants' || row.area === area)
    const unknown = names.filter((name) => !inArea.some((row) => row.name === name))
    if (!AREAS.includes(area)) fail(`There is no area ${area}: it is one of ${AREAS.join(', ')}.`)
    if (unknown.length > 0) fail(`There is no row ${unknown.join(', ')}. Rows: ${inArea.map((row) => row.name).join(', ')}.`)
    const rows = inArea.filter((row) => names.length === 0 || names.includes(row.name))
    const seed = options.seed ?? Math.floor(Math.random() * 1e9)
    removeLeftovers()
    const stopping = new AbortController()
    const stop = (signal: 'SIGINT' | 'SIGTERM') => {
      process.exitCode = 128 + constants.signals[signal]
      stopping.abort()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
    if (area === 'mutants') {
      const areAllDetected = await runMutants(names, seed, stopping.signal)
      process.exit(process.exitCode ?? (areAllDetected ? 0 : 1))
    }
    if (!options.json) process.stdout.write(`seed ${seed}${options.short ? ', short form' : ''}\n`)
    const report = options.json ? jsonReport(rows) : tableReport(rows)
    let [passed, notRun] = [0, 0]
    const run = (row: FaultRow, say = report.say) =>
      runRow(row, { short: options.short ?? false, seed, say, signal: stopping.signal })
    // Rows that are mostly idle start first, run beside the others, and are printed last.
    const [beside, alone] = [rows.filter((row) => row.isMostlyIdle), rows.filter((row) => !row.isMostlyIdle)]
    let shown: FaultRow | undefined
    const waiting = new Map(beside.map((row) => [row, run(row, (what) => row === shown && report.say(what))]))
    for (const row of [...alone, ...beside]) {
      shown = row
      report.begin(row)
      const result = await (waiting.get(row) ?? run(row))
      if (stopping.signal.aborted) break
      report.end(result)
      if (result.passed) passed++
      if (result.notRun) notRun++
    }
    await Promise.all(waiting.values())
    if (stopping.signal.aborted) process.stderr.write('\nStopped.\n')
    else if (!options.json)
      process.stdout.write(
        `${passed} of ${rows.length} rows passed${notRun > 0 ? `, ${notRun} could not run on this machine` : ''} (seed ${seed}).\n`,
      )
    process.exit(process.exitCode ?? (passed === rows.length ? 0 : 1))
  })
  .parseAsync()

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
