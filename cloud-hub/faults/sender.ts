import { randomUUID } from 'node:crypto'
import type { Reading } from '@haltless/protocol'
import { until } from '../test/processes.ts'
import type { Ledger } from './ledger.ts'
import type { RowContext } from './row.ts'
import type { Batch, Transport } from './transports.ts'

/**
 * Answers that ask the sender to repeat, or no answer at all. Any other answer to a good batch, except acceptance, is a failure.
 */
const RETRYABLE_ANSWERS = new Set([
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
  'lost in transit',
  '502 of the balancer',
  '503 of the balancer',
  '504 of the balancer',
])

/** Waiting for this many batches takes a while, so the row shows its progress. */
const MANY_BATCHES = 50

/** Sends without a pause, repeats each batch until the hub accepts it, and records everything in the ledger. */
export interface Sender {
  /** the number of batches that the hub accepted */
  acceptedBatches(): number
  /** how often each answer arrived */
  answers: ReadonlyMap<string, number>
  answered(answer: string): number
  /** waits for a condition; the timeout error names it */
  until(what: string, look: () => boolean, limitMs?: number): Promise<void>
  /** the longest time without an accepted batch since the last call, in ms */
  longestGapMs(): number
  /** waits until the hub accepts this many more batches; returns the seconds that took */
  untilAccepted(batches: number, limitMs?: number): Promise<number>
  /** begins no new batch and waits until each batch under way is accepted */
  finish(limitMs?: number): Promise<void>
}

interface SenderOptions {
  /** batches in flight on each transport */
  concurrency?: number
  pauseMs?: number
  /** the delay before a repeat, between this and three times this */
  retryMs?: number
  /** the transport gives readings timestamps up to this much later */
  maxRestampMs?: number
}

/** Starts sending. @param nextReadings returns the next batch for a transport, or null when there are no more */
export function startSender(
  context: RowContext,
  ledger: Ledger,
  tenantId: string,
  transports: readonly Transport[],
  nextReadings: (transport: number) => readonly Reading[] | null,
  { concurrency = 2, pauseMs = 0, retryMs = 50, maxRestampMs = 0 }: SenderOptions = {},
): Sender {
  const answers = new Map<string, number>()
  let [accepted, isOver, lastAcceptedAt, longest] = [0, false, performance.now(), 0]
  context.defer(() => {
    isOver = true
  })
  const gone = new AbortController()
  context.defer(() => gone.abort())

  async function sendLoop(transport: Transport, number: number): Promise<void> {
    while (!isOver) {
      const readings = nextReadings(number)
      if (!readings) return
      const entries = readings.map((r) => ({
        series: ledger.series({ tenantId, machine: r.machine, metric: r.metric, unit: r.unit }),
        value: r.value,
        from: r.timestamp,
        to: r.timestamp + maxRestampMs,
      }))
      ledger.write(entries)
      const batch: Batch = { id: randomUUID(), readings }
      for (let isAccepted = false; !isAccepted && !gone.signal.aborted; ) {
        const { answer, rejections } = await transport.send(batch)
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
        if (rejections) {
          const refused = new Set(rejections.map(({ index }) => index))
          ledger.mark('stored', refused.size === 0 ? entries : entries.filter((_, i) => !refused.has(i)))
          if (refused.size > 0)
            ledger.mark(
              'refused',
              entries.filter((_, i) => refused.has(i)),
            )
          longest = Math.max(longest, performance.now() - lastAcceptedAt)
          lastAcceptedAt = performance.now()
          accepted++
          isAccepted = true
        } else {
          if (!RETRYABLE_ANSWERS.has(answer) && answers.get(answer) === 1)
            context.reportFailure(`a good batch was answered "${answer}"`)
          await new Promise((again) => setTimeout(again, retryMs * (1 + 2 * Math.random())))
        }
      }
      if (pauseMs > 0) await new Promise((go) => setTimeout(go, pauseMs))
    }
  }

  const running = transports.flatMap((transport, number) =>
    Array.from({ length: concurrency }, () => sendLoop(transport, number)),
  )
  const all = Promise.all(running)
  all.catch(() => {})
  return {
    answers,
    answered: (answer) => answers.get(answer) ?? 0,
    until: async (what, look, limitMs = 60_000) => void (await until(what, look, limitMs)),
    acceptedBatches: () => accepted,
    longestGapMs() {
      const found = Math.max(longest, performance.now() - lastAcceptedAt)
      ;[longest, lastAcceptedAt] = [0, performance.now()]
      return found
    },
    async untilAccepted(count, limitMs = 60_000) {
      const [from, started] = [accepted, performance.now()]
      const isDone = () => {
        if (count >= MANY_BATCHES) context.say(`${Math.min(count, accepted - from)} of ${count} batches are stored`)
        return accepted >= from + count
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
        until('every batch is accepted', () => done, limitMs),
      ])
    },
  }
}

/** A source whose values count up by series: each value is unique, so the comparison names a missing one. */
export function countingSource(
  machines: readonly string[],
  options: { metrics?: number; size?: number; start?: number; stepMs?: number } = {},
) {
  const { metrics = 10, size = 200, start = Date.now() - 30 * 3_600_000, stepMs = 100 } = options
  const counts = new Map<string, number>()
  let turn = 0
  /** returns the next readings of the next machine, grouped by series as in a batch */
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

/** How often each answer arrived, most frequent first: `receipt 120, 503 database_away 4`. */
export const answerSummary = ({ answers }: Pick<Sender, 'answers'>): string =>
  [...answers]
    .sort((a, b) => b[1] - a[1])
    .map(([answer, n]) => `${answer} ${n}`)
    .join(', ')

/** `0.9-1.4 s` */
export const secondsRange = (seconds: readonly number[]): string =>
  `${Math.min(...seconds).toFixed(1)}-${Math.max(...seconds).toFixed(1)} s`
