import { randomUUID } from 'node:crypto'
import type { Reading } from '@haltless/protocol'
import { until } from '../test/processes.ts'
import type { Ledger } from './ledger.ts'
import type { RowContext } from './row.ts'
import type { Batch, Way } from './ways.ts'

/** Answers that say "not now, send again" or that nobody gave. Anything else but a yes is not a true answer to a good batch. */
const TRUE_REFUSALS = new Set([
  '503 database_away',
  '503 database_full',
  '503 database_busy',
  '503 ingest_busy',
  '503 tenant_busy',
  '503 request_timeout',
  '429 rate_limited',
  'closed',
  'no connection',
  'no receipt',
  'lost on the way',
])

/** Waiting for so many batches takes a while: the row says how far it is. */
const MANY_BATCHES = 50

/** Sends without a pause, holds each batch until the hub says yes, and notes everything in the ledger. */
export interface Sending {
  /** batches that were said yes to */
  yes(): number
  /** how often each answer was heard */
  answers: ReadonlyMap<string, number>
  heard(answer: string): number
  /** waits for a condition; fails with what it waited for */
  until(what: string, look: () => boolean, limitMs?: number): Promise<void>
  /** the longest time without a yes since this was last asked, in ms */
  longestSilenceMs(): number
  /** waits for the next so many yes; seconds that took */
  next(yes: number, limitMs?: number): Promise<number>
  /** begins nothing new, and waits until all that was begun is answered */
  finish(limitMs?: number): Promise<void>
}

interface SendingOptions {
  /** batches in flight on each way */
  lanes?: number
  pauseMs?: number
  /** after what a batch is sent again that had no yes, and up to three times that */
  againMs?: number
  /** the way gives readings timestamps up to so much later */
  restampedMs?: number
}

/**
 * @param nextReadings the next batch for a way, or null when there are no more
 */
export function startSending(
  context: RowContext,
  ledger: Ledger,
  tenantId: string,
  ways: readonly Way[],
  nextReadings: (way: number) => readonly Reading[] | null,
  { lanes = 2, pauseMs = 0, againMs = 50, restampedMs = 0 }: SendingOptions = {},
): Sending {
  const answers = new Map<string, number>()
  let [yes, isOver, lastYes, longest] = [0, false, performance.now(), 0]
  context.defer(() => {
    isOver = true
  })
  const gone = new AbortController()
  context.defer(() => gone.abort())

  async function lane(way: Way, number: number): Promise<void> {
    while (!isOver) {
      const readings = nextReadings(number)
      if (!readings) return
      const entries = readings.map((r) => ({
        series: ledger.series({ tenantId, machine: r.machine, metric: r.metric, unit: r.unit }),
        value: r.value,
        from: r.timestamp,
        to: r.timestamp + restampedMs,
      }))
      ledger.write(entries)
      const batch: Batch = { id: randomUUID(), readings }
      for (let told = false; !told && !gone.signal.aborted; ) {
        const { answer, rejections } = await way.send(batch)
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
        if (rejections) {
          const refused = new Set(rejections.map(({ index }) => index))
          ledger.mark('stored', refused.size === 0 ? entries : entries.filter((_, i) => !refused.has(i)))
          if (refused.size > 0)
            ledger.mark(
              'refused',
              entries.filter((_, i) => refused.has(i)),
            )
          longest = Math.max(longest, performance.now() - lastYes)
          lastYes = performance.now()
          yes++
          told = true
        } else {
          if (!TRUE_REFUSALS.has(answer) && answers.get(answer) === 1) context.complain(`a good batch was answered "${answer}"`)
          await new Promise((again) => setTimeout(again, againMs * (1 + 2 * Math.random())))
        }
      }
      if (pauseMs > 0) await new Promise((go) => setTimeout(go, pauseMs))
    }
  }

  const running = ways.flatMap((way, number) => Array.from({ length: lanes }, () => lane(way, number)))
  const all = Promise.all(running)
  all.catch(() => {})
  return {
    answers,
    heard: (answer) => answers.get(answer) ?? 0,
    until: async (what, look, limitMs = 60_000) => void (await until(what, look, limitMs)),
    yes: () => yes,
    longestSilenceMs() {
      const found = Math.max(longest, performance.now() - lastYes)
      ;[longest, lastYes] = [0, performance.now()]
      return found
    },
    async next(count, limitMs = 60_000) {
      const [from, started] = [yes, performance.now()]
      const isDone = () => {
        if (count >= MANY_BATCHES) context.say(`${Math.min(count, yes - from)} of ${count} batches are stored`)
        return yes >= from + count
      }
      await until(`${count} more batches are stored`, isDone, limitMs)
      return (performance.now() - started) / 1000
    },
    async finish(limitMs = 120_000) {
      isOver = true
      let done = false
      await Promise.race([
        all.then(() => {
          done = true
        }),
        until('every batch is answered with a yes', () => done, limitMs),
      ])
    },
  }
}

/** Series whose values count up, a step of reading time apart: each value is unique in its series, and says which one is missing. */
export function countingSource(
  machines: readonly string[],
  options: { metrics?: number; size?: number; start?: number; stepMs?: number } = {},
) {
  const { metrics = 10, size = 200, start = Date.now() - 30 * 3_600_000, stepMs = 100 } = options
  const counts = new Map<string, number>()
  let turn = 0
  /** the next readings of the next machine, series by series, as a batch orders them */
  return (machine = machines[turn++ % machines.length] as string): Reading[] => {
    const from = counts.get(machine) ?? 1
    const each = Math.ceil(size / metrics)
    counts.set(machine, from + each)
    return Array.from({ length: metrics * each }, (_, i) => {
      const n = from + (i % each)
      return {
        machine,
        metric: `metric_${Math.floor(i / each)}`,
        unit: 'celsius',
        rawTag: null,
        timestamp: start + n * stepMs,
        value: n,
      }
    })
  }
}

/** What was heard, most frequent first: `receipt 120, 503 database_away 4`. */
export const heard = ({ answers }: Pick<Sending, 'answers'>): string =>
  [...answers]
    .sort((a, b) => b[1] - a[1])
    .map(([answer, n]) => `${answer} ${n}`)
    .join(', ')

/** `0.9-1.4 s` */
export const spread = (seconds: readonly number[]): string =>
  `${Math.min(...seconds).toFixed(1)}-${Math.max(...seconds).toFixed(1)} s`
