import { setTimeout as wait } from 'node:timers/promises'
import { fault } from '@haltless/protocol'
import { listed, notedBefore } from './erp-http.ts'
import { ErpUnavailable, type PushOutcome } from './provider.ts'

const CONCURRENCY = 4
/** Longer pauses are left to the run. */
const MAX_PAUSE_SECONDS = 30
const MAX_PAUSES = 3

/**
 * Sends records one by one, the first alone and then several at once.
 * @param send throws ErpUnavailable when the record was not executed
 * @throws ErpUnavailable when the first record was not executed. Later, the records that are not sent yet get `failed`
 */
export async function pushEach<T>(
  records: readonly T[],
  signal: AbortSignal,
  send: (record: T) => Promise<PushOutcome>,
): Promise<PushOutcome[]> {
  const outcomes: PushOutcome[] = []
  const [first] = records
  if (first === undefined) return outcomes
  outcomes[0] = await send(first)
  let stopped: ErpUnavailable | null = null
  let next = 1

  async function sendPatiently(record: T): Promise<PushOutcome> {
    let met = ''
    for (let pauses = 0; ; pauses++) {
      if (stopped) return notedBefore(met, notSent(stopped))
      try {
        return notedBefore(met, await send(record))
      } catch (error) {
        if (!(error instanceof ErpUnavailable)) throw error
        const seconds = error.reason === 'throttled' ? (error.retryAfterSeconds ?? 1) : Number.POSITIVE_INFINITY
        if (seconds > MAX_PAUSE_SECONDS || pauses === MAX_PAUSES || !(await paused(seconds, signal))) {
          stopped = error
          return notedBefore(met, notSent(error))
        }
        met = listed(met, error.met, '429')
      }
    }
  }
  const worker = async () => {
    while (next < records.length) {
      const index = next++
      outcomes[index] = await sendPatiently(records[index] as T)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return outcomes
}

export const notSent = ({ fault: reason, request, response }: ErpUnavailable): PushOutcome => ({
  kind: 'failed',
  request,
  response,
  fault: fault('erp_record_not_sent', { reason }),
})

const paused = (seconds: number, signal: AbortSignal): Promise<boolean> =>
  wait(seconds * 1_000, true, { signal }).catch(() => false)
