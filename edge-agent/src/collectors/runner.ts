import { fault, type ReadingColumns } from '@haltless/protocol'
import { errorFault } from '../support/error-message.ts'
import type { Collector, CollectorDeps, CollectorStatus, Progress } from './collector.ts'
import type { StatusBoard } from './status-board.ts'

const FAULT_PAUSE_MS = 10_000
/** Polls that may wait for the disk. They share a transaction when polls arrive faster than the disk writes. */
const MAX_PENDING_WRITES = 8
/** How often a paused collector asks whether it may poll again. */
const PAUSE_CHECK_INTERVAL_MS = 1_000

/** The context that a collector's loop receives from {@link runCollector}. */
export interface CollectorRun {
  /** aborts when the collector stops or pauses */
  readonly signal: AbortSignal
  /**
   * Passes readings on, and waits while too many polls are not stored yet. It ignores empty polls, and all polls once stopped.
   * Never rejects.
   */
  handOn(readings: ReadingColumns): Promise<void>
  /**
   * Passes on readings of a source that can be read again, also none, and waits until they are stored with the progress. @returns false when they
   * are not, and have to be read again. Never rejects.
   */
  handOnDurably(readings: ReadingColumns, progress: Progress): Promise<boolean>
}

/**
 * A collector around `loop`, which polls until the signal aborts, and `close`, which closes connections so that `loop` ends soon. After a pause
 * `loop` is called again.
 */
export function runCollector(
  name: string,
  deps: CollectorDeps,
  board: StatusBoard,
  loop: (run: CollectorRun) => Promise<void>,
  close: () => void | Promise<void>,
): Collector {
  const stopping = new AbortController()
  const mayPoll = deps.mayPoll ?? (() => true)
  const handing = new Set<Promise<boolean>>()
  let started = false
  let stopped: Promise<void> | null = null

  const take = async (readings: ReadingColumns, progress?: Progress): Promise<boolean> => {
    try {
      const isStored = (await deps.onReadings(readings, progress)) !== false
      if (readings.values.length > 0 && (isStored || !progress)) board.stored(readings.values.length, deps.clock.now())
      return isStored
    } catch (error) {
      deps.logger.error({ err: error, count: readings.values.length }, 'readings could not be stored')
      board.set('failing', fault('readings_not_stored', { reason: errorFault(error) }))
      return false
    }
  }
  const handOver = (readings: ReadingColumns, progress?: Progress): Promise<boolean> => {
    const taken = take(readings, progress).finally(() => handing.delete(taken))
    handing.add(taken)
    return taken
  }
  const runLoop = async (pausing: AbortController) => {
    const signal = AbortSignal.any([stopping.signal, pausing.signal])
    await loop({
      signal,
      handOn: async (readings) => {
        if (readings.values.length > 0 && !stopping.signal.aborted) void handOver(readings)
        while (handing.size >= MAX_PENDING_WRITES) await Promise.race(handing)
        if (!mayPoll()) pausing.abort()
      },
      handOnDurably: async (readings, progress) => {
        const isStored = !stopping.signal.aborted && (await handOver(readings, progress))
        if (!mayPoll()) pausing.abort()
        return isStored
      },
    })
  }
  const pause = async () => {
    board.pause()
    await close()
    while (!stopping.signal.aborted && !mayPoll()) {
      board.skipPolls()
      await deps.clock.sleep(PAUSE_CHECK_INTERVAL_MS, stopping.signal)
    }
  }
  const keepRunning = async () => {
    while (!stopping.signal.aborted) {
      const pausing = new AbortController()
      try {
        await runLoop(pausing)
        if (pausing.signal.aborted) await pause()
      } catch (error) {
        // The loops catch what can happen to them: this is a fault of ours. It must not be silent, nor end the collecting
        deps.logger.error({ err: error }, 'collector failed by a fault of its own')
        board.set('failing', fault('internal_fault', { reason: errorFault(error) }))
        await deps.clock.sleep(FAULT_PAUSE_MS, stopping.signal)
      }
    }
  }
  const stop = async () => {
    stopping.abort()
    await close()
    await Promise.all(handing)
    board.flushMissedPolls()
    board.set('stopped')
  }
  return {
    name,
    start: () => {
      if (started || stopped) return
      started = true
      void keepRunning()
    },
    stop: () => {
      stopped ??= stop()
      return stopped
    },
    status: (): CollectorStatus => board.snapshot(),
  }
}
