import { createWriteStream, existsSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { type Reading, toReadings } from '@haltless/protocol'
import Database from 'better-sqlite3'
import { bufferFile } from '../agent-paths.ts'
import { shiftTimestamps, tryDecodeColumns } from '../buffer/chunk.ts'
import { SeriesDictionary } from '../buffer/series-dictionary.ts'
import { readStats } from '../buffer/stats.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { fileErrorMessage } from '../support/error-message.ts'
import { alignColumns, formatCount, formatDuration } from './output.ts'

/** Chunks of one look; no transaction stays open between two, because the agent could not shorten its log meanwhile. */
const CHUNKS_AT_ONCE = 200
const SERIES_SHOWN = 50

interface Row {
  id: number
  body: Buffer
  offset: number
}

/**
 * All readings that wait in the buffer, oldest first, with the time that they will be sent with; the agent may run and send meanwhile.
 * @returns the readings of some chunks at a time; null for a chunk that is damaged
 */
function* waiting(db: Database.Database): Generator<Reading[] | null> {
  const dictionary = new SeriesDictionary(db)
  const hasEpochs = (db.pragma('user_version', { simple: true }) as number) >= 4
  const offset = hasEpochs
    ? 'iif(keeps_time, 0, coalesce((SELECT offset_ms FROM clock_epochs WHERE first_chunk_id <= chunks.id ORDER BY first_chunk_id DESC LIMIT 1), 0))'
    : '0'
  const next = db.prepare<[number, number], Row>(
    `SELECT id, body, ${offset} AS offset FROM chunks WHERE id > ? ORDER BY id LIMIT ?`,
  )
  for (let after = -1; ; ) {
    const rows = next.all(after, CHUNKS_AT_ONCE)
    const last = rows.at(-1)
    if (!last) return
    for (const { body, offset } of rows) {
      const columns = tryDecodeColumns(body, dictionary)
      yield columns && toReadings(shiftTimestamps(columns, offset))
    }
    after = last.id
  }
}

interface SeriesSummary {
  machine: string
  metric: string
  unit: string
  readings: number
  oldest_at: number
  newest_at: number
}

export interface BufferContent {
  readings: number
  used_bytes: number
  dead_letters: number
  dropped: number
  damaged_chunks: number
  series: SeriesSummary[]
}

/** What waits in the buffer, by series. */
export function inspectBuffer({ dataDir }: AgentConfig): BufferContent {
  return withBuffer(dataDir, (db) => {
    const series = new Map<string, SeriesSummary>()
    let damaged = 0
    for (const readings of waiting(db)) {
      if (!readings) damaged++
      for (const { machine, metric, unit, timestamp } of readings ?? []) {
        const key = `${machine}\0${metric}\0${unit}`
        const known = series.get(key) ?? { machine, metric, unit, readings: 0, oldest_at: timestamp, newest_at: timestamp }
        known.readings++
        known.oldest_at = Math.min(known.oldest_at, timestamp)
        known.newest_at = Math.max(known.newest_at, timestamp)
        series.set(key, known)
      }
    }
    const { buffered, usedBytes, deadLetters, dropped } = readStats(db)
    return {
      readings: buffered,
      used_bytes: usedBytes,
      dead_letters: deadLetters,
      dropped,
      damaged_chunks: damaged,
      series: [...series.values()].toSorted((a, b) => b.readings - a.readings),
    }
  })
}

/** @param now Unix ms */
export function formatBuffer(
  { readings, used_bytes, dead_letters, dropped, damaged_chunks, series }: BufferContent,
  now: number,
): string {
  const head = alignColumns([
    ['waiting', formatCount(readings, 'reading')],
    ['used', `${(used_bytes / 1_048_576).toFixed(1)} MB`],
    ['rejected', `${formatCount(dead_letters, 'reading')}${dead_letters > 0 ? ' (dead-letters lists them)' : ''}`],
    ['dropped', formatCount(dropped, 'reading')],
    ...(damaged_chunks > 0 ? [['damaged', `${formatCount(damaged_chunks, 'chunk')} cannot be read`]] : []),
  ])
  if (series.length === 0) return head
  const rows = series
    .slice(0, SERIES_SHOWN)
    .map((each) => [
      each.machine,
      `${each.metric} (${each.unit})`,
      `${each.readings}`,
      `${formatDuration(now - each.oldest_at)} ago`,
      `${formatDuration(now - each.newest_at)} ago`,
    ])
  const rest = series.length - rows.length
  const table = alignColumns([['machine', 'metric', 'readings', 'oldest', 'newest'], ...rows])
  return `${head}\n\n${table}${rest > 0 ? `\nand ${formatCount(rest, 'more metric')}` : ''}`
}

/**
 * Writes all waiting readings as CSV, or as a JSON object a line; they stay in the buffer.
 * @param file a new one
 * @returns how many were written, and how many chunks could not be read
 * @throws Error in words where it cannot be written, also where it exists
 */
export async function exportBuffer(
  { dataDir }: AgentConfig,
  file: string,
  onProgress: (readings: number) => void,
): Promise<{ readings: number; damaged: number }> {
  const isJson = /\.(json|ndjson|jsonl)$/i.test(file)
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  const failed = new Promise<never>((_, reject) =>
    out.once('error', (error) => reject(new Error(`${file} cannot be written: ${fileErrorMessage(error)}`))),
  )
  failed.catch(() => {})
  const write = (text: string) =>
    out.write(text) ? undefined : Promise.race([new Promise<void>((resolve) => out.once('drain', resolve)), failed])
  const db = openBuffer(dataDir)
  let [count, damaged] = [0, 0]
  try {
    if (!isJson) await write('timestamp,machine_identifier,metric_name,unit,value,raw_tag\n')
    for (const readings of db ? waiting(db) : []) {
      if (!readings) {
        damaged++
        continue
      }
      await write(readings.map(isJson ? jsonLine : csvLine).join(''))
      count += readings.length
      onProgress(count)
    }
    out.end()
    await Promise.race([finished(out), failed])
    return { readings: count, damaged }
  } finally {
    db?.close()
    out.destroy()
  }
}

const isoOf = (timestamp: number): string => new Date(timestamp).toISOString()
const jsonLine = ({ timestamp, machine, metric, unit, value, rawTag }: Reading): string =>
  `${JSON.stringify({ timestamp: isoOf(timestamp), machine_identifier: machine, metric_name: metric, unit, value, raw_tag: rawTag })}\n`
const csvLine = ({ timestamp, machine, metric, unit, value, rawTag }: Reading): string =>
  `${[isoOf(timestamp), machine, metric, unit, String(value), rawTag ?? ''].map(csvCell).join(',')}\n`
/** Also quotes `;` and tabs, at which spreadsheets of some countries divide. Source: RFC 4180, 2 */
const csvCell = (text: string): string => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

function withBuffer<T>(dataDir: string, work: (db: Database.Database) => T): T | never {
  const db = openBuffer(dataDir)
  if (!db) throw new Error(`There is no buffer in ${dataDir}: no agent has run there yet.`)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

function openBuffer(dataDir: string): Database.Database | null {
  const file = bufferFile(dataDir)
  return existsSync(file) ? new Database(file, { readonly: true, timeout: 5_000 }) : null
}
