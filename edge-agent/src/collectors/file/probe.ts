import { type Reading as ProtocolReading, toReadings } from '@haltless/protocol'
import { errorMessage } from '../../support/error-message.ts'
import type { FileSource, ProbeDeps, ProbeResult } from '../collector.ts'
import { badTagSummary, valueLines } from '../messages.ts'
import { StatusBoard } from '../status-board.ts'
import { listed } from './collector.ts'
import { Extractor, fileTags } from './extract.ts'
import { type FoundFile, findFiles } from './find-files.ts'
import { FollowedFile } from './followed-file.ts'

/** Reads the newest records of the newest file. It changes nothing of what the running agent has read. */
export async function probeFile(source: FileSource, deps: ProbeDeps): Promise<ProbeResult> {
  const { config } = source
  const none = { ok: false, answered: false, lines: [], clockAheadMs: null, readings: [], badTags: [] }
  let newest: FoundFile | undefined
  try {
    const { files } = await findFiles(config.path)
    newest = files.at(-1)
    if (!newest) return { ...none, summary: `there is no file ${config.path}, or this user may not look for it` }
    return await readNewest(source, newest, files.length, deps)
  } catch (error) {
    return { ...none, summary: `${newest?.path ?? config.path}: ${errorMessage(error)}` }
  }
}

async function readNewest(source: FileSource, found: FoundFile, count: number, deps: ProbeDeps): Promise<ProbeResult> {
  const tags = fileTags(source)
  const board = new StatusBoard(tags, deps)
  const { config } = source
  const file = new FollowedFile(found, null)
  const newest = new Map<number, ProtocolReading>()
  let records = 0
  let reason = ''
  try {
    if (config.format !== 'json') await file.skipMost(found)
    const reading = { config, tags, extractor: new Extractor(config, tags, board, () => deps.clock.now()) }
    for (;;) {
      const portion = await file.next(reading, found, true, Number.POSITIVE_INFINITY)
      if (!portion) break
      file.position = portion.position
      records += portion.records
      reason ||= portion.leftOut.reason
      const readings = toReadings(portion.readings)
      for (const [i, index] of portion.readings.seriesIndex.entries()) newest.set(index, readings[i] as ProtocolReading)
    }
    blame(source, newest, file.columns, board)
  } finally {
    await file.close()
  }
  const badTags = board.badTags()
  const readings = [...newest.values()]
  const problem = reason || badTagSummary(badTags.length, tags.length) || (records === 0 ? 'it holds no record yet' : '')
  const others = count > 1 ? ` and ${count - 1} other files` : ''
  const at = Math.max(...readings.map(({ timestamp }) => timestamp))
  const lines = valueLines(tags, readings, badTags)
  if (config.timestamp && readings.length > 0) lines.push(`newest timestamp: ${new Date(at).toISOString()}`)
  return {
    ok: problem === '',
    answered: true,
    summary: `${found.path}${others} can be read${problem && `, but ${problem}`}`,
    lines,
    clockAheadMs: null,
    readings,
    badTags,
  }
}

function blame(
  { config }: FileSource,
  found: ReadonlyMap<number, unknown>,
  columns: readonly string[] | null,
  board: StatusBoard,
): void {
  for (const [index, { field }] of config.fields.entries()) {
    if (found.has(index) || board.isBad(index)) continue
    if (columns && !columns.includes(field)) board.bad(index, `there is no column ${field}; there are ${listed(columns)}`)
    else board.bad(index, 'the newest records have no value of it')
  }
}
