import { type ModbusConfig, type Reading, toReadings } from '@haltless/protocol'
import type { ModbusSource, ProbeDeps, ProbeResult } from '../collector.ts'
import { badTagSummary, valueLines } from '../messages.ts'
import { StatusBoard } from '../status-board.ts'
import { tagsOf } from './collector.ts'
import { InvalidResponse, ModbusException, ResponseTimeout } from './errors.ts'
import { Gateway } from './gateway.ts'
import { addressee } from './request.ts'
import { Unit } from './unit.ts'

/** What to do about a failure, after its own words. */
function advice(failure: Error): string {
  if (failure instanceof ResponseTimeout) return 'check unit_id, and raise timeout_ms if the device is slow'
  if (failure instanceof InvalidResponse)
    return 'check unit_id, and framing: the port may speak Modbus TCP or Modbus RTU over TCP'
  if (failure instanceof ModbusException) return 'check unit_id and the wiring behind the gateway'
  return 'check host and port, and that the device allows one more connection'
}

/** Connects once, reads every register once, disconnects. Without registers it only asks whether the unit answers at all. */
export async function probeModbus(source: ModbusSource, deps: ProbeDeps, signal: AbortSignal): Promise<ProbeResult> {
  const { config, host, port } = source
  const tags = tagsOf(source)
  const board = new StatusBoard(tags, deps)
  const gateway = new Gateway(source, deps)
  gateway.pacer.join(config)
  const giveUp = () => gateway.close()
  signal.addEventListener('abort', giveUp)
  const where = `Modbus unit ${config.unit_id} at ${host}:${port}`
  try {
    const unit = new Unit(config, tags, gateway, board, deps, signal)
    const startedAt = performance.now()
    const { readings, failure } = tags.length > 0 ? await readOnce(unit) : await greet(gateway, config)
    const badTags = board.badTags()
    if (failure) {
      const summary = `${where}: ${failure.message}; ${advice(failure)}`
      const answered = failure instanceof ModbusException || failure instanceof InvalidResponse
      return { ok: false, answered, summary, lines: [], clockAheadMs: null, readings, badTags }
    }
    const problem = badTagSummary(badTags.length, tags.length)
    const summary = `${where} answers${problem && `, but ${problem}`}`
    const lines = valueLines(tags, readings, badTags)
    const took = Math.max(1, Math.round(performance.now() - startedAt))
    const limits = [`all of its registers are read in ${took} ms`]
    return { ok: problem === '', answered: true, summary, lines, limits, clockAheadMs: null, readings, badTags }
  } finally {
    signal.removeEventListener('abort', giveUp)
    gateway.close()
  }
}

interface Outcome {
  readings: Reading[]
  failure: Error | null
}

async function readOnce(unit: Unit): Promise<Outcome> {
  const { readings, failure } = await unit.poll()
  return { readings: toReadings(readings), failure }
}

/** Any answer will do, also that there is no holding register 0. */
async function greet(gateway: Gateway, config: ModbusConfig): Promise<Outcome> {
  try {
    await gateway.read({ ...addressee(config), functionCode: 3, address: 0, quantity: 1 })
  } catch (error) {
    const answered = error instanceof ModbusException && !error.isAboutTheUnit
    if (!answered) return { readings: [], failure: error as Error }
  }
  return { readings: [], failure: null }
}
