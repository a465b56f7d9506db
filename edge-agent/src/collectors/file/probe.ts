import { type Fault, fault, type Reading as ProtocolReading, toReadings } from '@haltless/protocol'
import { fileErrorMessage } from '../../support/error-message.ts'
import type { FileSource, ProbeDeps, ProbeResult } from '../collector.ts'
import { isStamped } from '../contract.ts'
import { badTagSummary, valueLines } from '../messages.ts'
import { SourceClock } from '../source-clock.ts'
import { StatusBoard } from '../status-board.ts'
import { Extractor, fileTags } from './extract.ts'
import { type FoundFile, findFiles, whyNoFile } from './find-files.ts'
import { FollowedFile } from './followed-file.ts'
import { listed } from './records.ts'

/** Reads the newest records of the newest file. It changes nothing of what the running agent has read. */
export async function probeFile(source: FileSource, deps: ProbeDeps): Promise<ProbeResult> {
  const { config } = source
  const none = { ok: false, answered: false, lines: [], clockAheadMs: null, readings: [], badTags: [] }
  let newest: FoundFile | undefined
  try {
    const { files } = await findFiles(config.path)
    newest = files.at(-1)
    if (!newest) return { ...none, summary: (await whyNoFile(config.path)).detail }
    return await readNewest(source, newest, files.length, deps)
  } catch (error) {
    return { ...none, summary: `${newest?.path ?? config.path}: ${fileErrorMessage(error)}` }
  }
}

async function readNewest(source: FileSource, found: FoundFile, count: number, deps: ProbeDeps): Promise<ProbeResult> {
  const tags = fileTags(source)
  const board = new StatusBoard(tags, deps)
  const { config } = source
  const file = new FollowedFile(found, null)
  const sourceClock = new SourceClock(config, 'lines', deps)
  const newest = new Map<number, ProtocolReading>()
  let records = 0
  let reason: Fault | null = null
  try {
    const reading = { config, tags, extractor: new Extractor(config, tags, board, deps.clock, sourceClock) }
    if (config.format !== 'json') await file.skipMost(reading, found)
    const isWithin = file.position.offset > 0
    for (;;) {
      const portion = await file.next(reading, found, config.last_line_after_seconds > 0, Number.POSITIVE_INFINITY)
      if (!portion) break
      file.position = portion.position
      const { leftOut } = portion
      // It may have begun within a cell that holds line breaks.
      const isBegun = records > 0 || !isWithin || portion.records === 0
      if (isBegun || leftOut.count > leftOut.leading) reason ??= leftOut.reason
      records += portion.records
      const readings = toReadings(portion.readings)
      for (const [i, index] of portion.readings.seriesIndex.entries()) newest.set(index, readings[i] as ProtocolReading)
    }
    blame(source, newest, records, file.columns, board)
  } finally {
    await file.close()
  }
  const badTags = board.badTags()
  const readings = [...newest.values()]
  const problem = reason?.detail ?? badTagSummary(badTags.length, tags.length)
  const remark = problem || (records === 0 ? 'it holds no record yet' : '')
  const others = count > 1 ? ` and ${count - 1} other files` : ''
  const at = Math.max(...readings.map(({ timestamp }) => timestamp))
  const clock = sourceClock.status()
  const lines = valueLines(tags, readings, badTags)
  if (isStamped(config) && readings.length > 0) {
    const newestAt = clock && !clock.isUsed ? deps.clock.now() + clock.aheadMs : at
    lines.push(`newest timestamp: ${new Date(newestAt).toISOString()}`)
  }
  return {
    ok: problem === '',
    answered: true,
    summary: `${found.path}${others} can be read${remark && `, but ${remark}`}`,
    lines,
    // a line cannot have been written in the future; how old the newest one is says nothing
    clockAheadMs: clock?.isExact ? clock.aheadMs : null,
    readings,
    badTags,
  }
}

function blame(
  { config }: FileSource,
  found: ReadonlyMap<number, unknown>,
  records: number,
  columns: readonly string[] | null,
  board: StatusBoard,
): void {
  for (const [index, { field }] of config.fields.entries()) {
    if (found.has(index) || board.isBad(index)) continue
    if (columns && !columns.includes(field)) board.bad(index, fault('file_no_column', { field, names: listed(columns) }))
    else if (records > 0) board.bad(index, fault('file_no_recent_value'))
  }
}
