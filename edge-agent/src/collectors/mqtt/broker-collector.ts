import { type Fault, fault, type ReadingColumns } from '@haltless/protocol'
import { Backoff } from '../../support/backoff.ts'
import { errorFault } from '../../support/error-message.ts'
import type { Collector, CollectorDeps } from '../collector.ts'
import { PendingReadings } from '../pending-readings.ts'
import { rightTimeKnown } from '../right-time.ts'
import { runCollector } from '../runner.ts'
import type { StatusBoard } from '../status-board.ts'
import type { Tag } from '../tag.ts'
import {
  BrokerConnection,
  BrokerRefusal,
  type BrokerSource,
  MessageTooLarge,
  type OnMessage,
  type Subscription,
} from './broker.ts'

/** What is made of the messages of a broker. Readings of a persistent session carry the time of their source. */
export interface MessageHandler extends Subscription {
  /** No connection: what was known of the present does not count any more. */
  reset(): void
  /** A connection begins, subscribed; messages may have come already. */
  connected(publish: (topic: string, payload: Uint8Array) => void): void
  /** Adds readings to the pending ones. */
  message(topic: string, payload: Buffer, isRetained: boolean): void
  /** Once in every poll interval while connected. @returns what is unusual, null for nothing */
  interval(): Fault | null
}

/** Watches topics of a broker on one connection, which it opens again when it is lost. A poll is an interval in which the broker was there. */
export function createBrokerCollector(
  source: BrokerSource & { pollIntervalSeconds: number },
  tags: readonly Tag[],
  board: StatusBoard,
  deps: CollectorDeps,
  handlerOf: (pending: PendingReadings) => MessageHandler,
): Collector {
  const { clock } = deps
  let watching: Promise<void> = Promise.resolve()
  return runCollector(
    source.name,
    deps,
    board,
    async ({ signal, handOn, handOnDurably }) => {
      const backoff = new Backoff({ firstMs: 1_000, maxMs: 30_000, random: deps.random })
      let connection: BrokerConnection | undefined
      const handOnDated = async (readings: ReadingColumns) => {
        const isStored = await handOnDurably(readings, { checkpoints: [], hasOwnTime: true, missed: [] })
        if (!isStored) connection?.lose(fault('mqtt_messages_not_stored'))
        return isStored
      }
      const pending: PendingReadings = new PendingReadings(tags, (readings) =>
        handler.isPersistent ? handOnDated(readings) : handOn(readings),
      )
      const handler = handlerOf(pending)
      if (handler.isPersistent) await rightTimeKnown(clock, signal)
      // behind the wait, which misses nothing
      const schedule = board.schedule(source.pollIntervalSeconds * 1_000)
      const onMessage: OnMessage = (topic, payload, isRetained, acknowledge) => {
        if (signal.aborted) return
        handler.message(topic, payload, isRetained)
        if (handler.isPersistent) pending.onceHandedOn(acknowledge)
        if (pending.isOverflowing) connection?.lose(fault('readings_too_fast'))
        else if (pending.out.count > 0) setImmediate(pending.flush)
      }
      // the failure of the connection before
      let failure: unknown = null
      const discardIfStuck = async (next: unknown) => {
        const before = failure
        failure = next
        if (!handler.isPersistent || !(before instanceof MessageTooLarge && next instanceof MessageTooLarge)) return
        await BrokerConnection.discardSession(source, deps, signal)
        deps.logger.warn(
          { error: next.message },
          'the broker delivered it twice, so the session was discarded, with all messages in it',
        )
        board.lost([...new Set(tags.map(({ machine }) => machine))], clock.now(), clock.now(), 1)
        failure = null
      }
      const watch = async () => {
        handler.reset()
        const opened = await BrokerConnection.open(source, handler, deps, onMessage, signal)
        connection = opened
        try {
          handler.connected((topic, payload) => opened.publish(topic, payload))
          const ended = AbortSignal.any([signal, opened.gone])
          while (!ended.aborted) {
            schedule.begin()
            schedule.answered()
            backoff.reset()
            const unusual = handler.interval()
            board.reached(clock.now())
            if (unusual && board.state === 'running') board.set('running', unusual)
            await pending.flush()
            await clock.sleep(schedule.msToNext(), ended)
          }
          if (!signal.aborted) throw opened.failure
        } finally {
          await opened.close()
        }
      }
      while (!signal.aborted) {
        schedule.begin()
        watching = watch()
        try {
          await watching
        } catch (error) {
          if (signal.aborted) return
          board.set(error instanceof BrokerRefusal ? 'failing' : 'reconnecting', errorFault(error))
          // it is tried again after the next failure
          await discardIfStuck(error).catch(() => {})
          // the instants from the next one on get no answer
          const waitMs = backoff.next()
          const toNextMs = Math.min(waitMs, schedule.msToNext())
          await clock.sleep(toNextMs, signal)
          schedule.begin()
          await clock.sleep(waitMs - toNextMs, signal)
        }
      }
    },
    () => watching.catch(() => {}),
  )
}
