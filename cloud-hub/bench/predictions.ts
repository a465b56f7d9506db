import { readCmapss } from './predictions/c-mapss.ts'
import { type Decision, scoresAt } from './predictions/evaluate.ts'
import type { ObservedMachine } from './predictions/observed-machine.ts'
import { PREDICTORS } from './predictions/predictors.ts'
import { simulateMachines } from './predictions/simulated-machines.ts'

/**
 * Validates predictions: on every day of every machine each predictor estimates the days to failure from what was known by then.
 * docs/predictions.md explains the rows. The seed is not one that the method was developed with.
 */
const SEED = 20_270_101
const HORIZONS = [30, 14, 7]
/** Days before the first estimate. */
const WARM_UP = 14

const wanted = process.argv.slice(2)
const isWanted = (row: string) => wanted.length === 0 || wanted.includes(row)
const rounded = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100)

function publish(row: string, machines: readonly ObservedMachine[]): void {
  // the short run of the tests takes every fourth day
  const step = process.env.BENCH_SHORT ? 4 : 1
  for (const [predictor, predict] of Object.entries(PREDICTORS)) {
    const decisions = machines.flatMap((machine): Decision[] => {
      const last = machine.failsOnDay ?? machine.metrics[0]?.days.length ?? 0
      const days = Array.from({ length: Math.max(0, Math.ceil((last - WARM_UP) / step)) }, (_, i) => last - 1 - i * step)
      return days.map((day) => ({
        ...predict(machine, day),
        actual: machine.failsOnDay === null ? null : machine.failsOnDay - day,
      }))
    })
    for (const horizon of HORIZONS) {
      const scores = Object.entries(scoresAt(horizon, decisions)).map(([name, value]) => [name, rounded(value)])
      const line = { row, predictor, horizon_days: horizon, machines: machines.length, ...Object.fromEntries(scores) }
      process.stdout.write(`${JSON.stringify(line)}\n`)
    }
  }
}

if (isWanted('predictions.simulated')) publish('predictions.simulated', simulateMachines(SEED))
const folder = process.env.BENCH_CMAPSS
if (folder && isWanted('predictions.cmapss'))
  for (const { file, machines } of readCmapss(folder)) publish(`predictions.cmapss ${file}`, machines)
