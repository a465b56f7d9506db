import { Backoff } from '../../support/backoff.ts'
import type { Collector, CollectorDeps, ModbusSource } from '../collector.ts'
import { runCollector } from '../runner.ts'
import { StatusBoard } from '../status-board.ts'
import { type Tag, tagOf } from '../tag.ts'
import { ConnectionLost, InvalidResponse } from './errors.ts'
import { acquireGateway } from './gateway.ts'
import { Unit } from './unit.ts'

export const tagsOf = ({ config, machine }: ModbusSource): Tag[] =>
  config.registers.map((register) => {
    const bit = register.bit === undefined ? '' : `.${register.bit}`
    return tagOf(register, `${register.table}:${register.address}${bit}`, machine)
  })

/** Polls the registers of one unit over Modbus TCP, or RTU over TCP. Units behind one host and port share a connection. */
export function createModbusCollector(source: ModbusSource, deps: CollectorDeps): Collector {
  const { clock } = deps
  const tags = tagsOf(source)
  const board = new StatusBoard(tags, deps)
  const intervalMs = source.pollIntervalSeconds * 1_000
  const unitId = source.config.unit_id
  let release = () => {}
  return runCollector(
    source.name,
    deps,
    board,
    async ({ signal, handOn }) => {
      release()
      const { gateway, release: releaseGateway } = acquireGateway(source, deps)
      const leaveBus = gateway.bus.join(unitId, intervalMs)
      const leavePacer = gateway.pacer.join(source.config)
      release = () => {
        leaveBus()
        leavePacer()
        releaseGateway()
      }
      const unit = new Unit(source.config, tags, gateway, board, deps, signal)
      const schedule = board.schedule(intervalMs)
      const backoff = new Backoff({ firstMs: 1_000, maxMs: 30_000, random: deps.random })
      while (!signal.aborted) {
        schedule.begin()
        const { readings, failure } = await unit.poll()
        if (signal.aborted) return
        if (failure) board.set(failure instanceof InvalidResponse ? 'failing' : 'reconnecting', failure.fault)
        else {
          schedule.answered()
          board.reached(clock.now())
        }
        await handOn(readings)
        const pauseMs = gateway.bus.pauseMs(unitId, performance.now())
        if (!failure) {
          backoff.reset()
          // A unit that kept the bus from its neighbours skips polls.
          if (pauseMs > 0) await clock.sleep(pauseMs, signal)
          const waitMs = schedule.msToNext()
          if (waitMs > 0) await clock.sleep(waitMs, signal)
        } else {
          // The gateway paces connection attempts for all its units; a unit that keeps silent on a live connection paces itself
          const isAway = failure instanceof ConnectionLost && failure.retryInMs > 0
          await clock.sleep(isAway ? failure.retryInMs : Math.max(backoff.next(), pauseMs), signal)
        }
      }
    },
    () => release(),
  )
}
