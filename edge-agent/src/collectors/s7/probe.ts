import { toReadings } from '@haltless/protocol'
import { errorMessage } from '../../support/error-message.ts'
import type { ProbeDeps, ProbeResult, S7Source } from '../collector.ts'
import { badTagSummary, valueLines } from '../messages.ts'
import { StatusBoard } from '../status-board.ts'
import { S7Reader, tagsOf } from './collector.ts'

/** Connects once, reads every item once, disconnects. */
export async function probeS7(source: S7Source, deps: ProbeDeps, signal: AbortSignal): Promise<ProbeResult> {
  const tags = tagsOf(source)
  const board = new StatusBoard(tags, deps)
  const reader = new S7Reader(source, tags, board, deps)
  const giveUp = () => reader.close()
  signal.addEventListener('abort', giveUp)
  const { host, port, config } = source
  const where = `Siemens S7 at ${host}:${port}, rack ${config.rack}, slot ${config.slot}`
  try {
    const startedAt = performance.now()
    const readings = toReadings(await reader.poll())
    const badTags = board.badTags()
    const problem = badTagSummary(badTags.length, tags.length)
    const summary = `${where} answers${problem && `, but ${problem}`}`
    const limits = [`all of its items are read in ${Math.max(1, Math.round(performance.now() - startedAt))} ms`]
    const lines = valueLines(tags, readings, badTags)
    return { ok: problem === '', answered: true, summary, lines, limits, clockAheadMs: null, readings, badTags }
  } catch (error) {
    const summary = `${where}: ${errorMessage(error)}; check host, rack and slot, and that the PLC permits PUT/GET and one more connection`
    return { ok: false, answered: false, summary, lines: [], clockAheadMs: null, readings: [], badTags: board.badTags() }
  } finally {
    signal.removeEventListener('abort', giveUp)
    reader.close()
  }
}
