import { crc32 } from 'node:zlib'
import { mergeChunks, type OutgoingBatch, storedBatch, tryDecodeColumns } from './chunk.ts'
import { isPoll } from './poll.ts'
import type { SeriesDictionary } from './series-dictionary.ts'

export interface ChunkRow {
  id: number
  count: number
  crc: number
  body: Buffer
  keeps_time: number
}

/** A batch and the rows that it was made of. */
export interface Claim {
  ids: number[]
  batch: OutgoingBatch
}

/** Live readings are those appended within this time, by this process. */
const LIVE_MS = 30_000

/** The batches that the uplink has claimed. They exist in memory only: after a restart every chunk is free again. */
export class Claims {
  readonly #byBatch = new Map<string, Claim>()
  readonly #ids = new Set<number>()

  has(id: number): boolean {
    return this.#ids.has(id)
  }

  get(batchId: string): Claim | undefined {
    return this.#byBatch.get(batchId)
  }

  add(claim: Claim): void {
    this.#byBatch.set(claim.batch.batchId, claim)
    for (const id of claim.ids) this.#ids.add(id)
  }

  /** @returns the rows that are free again; none for an unknown batch */
  remove(batchId: string): readonly number[] {
    const ids = this.#byBatch.get(batchId)?.ids ?? []
    for (const id of ids) this.#ids.delete(id)
    this.#byBatch.delete(batchId)
    return ids
  }

  clear(): void {
    this.#byBatch.clear()
    this.#ids.clear()
  }
}

/** Divides chunks into live ones and the backlog, by when this process appended them. */
export class LiveWindow {
  /** the first row of each append, by time of appending (monotonic ms) */
  #appends: { id: number; at: number }[] = []

  add(id: number, at: number): void {
    this.#appends.push({ id, at })
  }

  /** The id from which on chunks are live; beyond all ids when none is. @param now monotonic ms */
  firstId(now: number): number {
    const kept = this.#appends.findIndex(({ at }) => at >= now - LIVE_MS)
    if (kept !== 0) this.#appends = kept < 0 ? [] : this.#appends.slice(kept)
    return this.#appends[0]?.id ?? Number.MAX_SAFE_INTEGER
  }

  clear(): void {
    this.#appends = []
  }
}

/** The first neighbouring free rows with at most `limit` readings; one row that has more is taken alone. */
export function selectUnclaimed(rows: Iterable<ChunkRow>, claims: Claims, limit: number): ChunkRow[] {
  const selected: ChunkRow[] = []
  let total = 0
  for (const row of rows) {
    if (claims.has(row.id)) {
      // A batch consists of neighbours; the next claim takes what lies beyond a claimed row.
      if (selected.length > 0) break
      continue
    }
    total += row.count
    if (selected.length > 0 && total > limit) break
    selected.push(row)
  }
  return selected
}

/** Whether the row's bytes changed on disk, or name series that the dictionary does not have. */
export const isDamaged = ({ body, crc }: ChunkRow, dictionary: SeriesDictionary): boolean =>
  crc32(body) !== crc || (isPoll(body) && !tryDecodeColumns(body, dictionary))

/**
 * Makes one batch of rows; only the first of them when they do not fit into one.
 * @param rows at least one, none of them damaged
 * @param offsetOf what to add to the timestamps of a row, ms
 */
export function makeClaim(rows: readonly ChunkRow[], dictionary: SeriesDictionary, offsetOf: (row: ChunkRow) => number): Claim {
  const [first] = rows as [ChunkRow]
  if (rows.length > 1) {
    const merged = mergeChunks(
      rows.map((row) => ({ body: row.body, offsetMs: offsetOf(row) })),
      dictionary,
    )
    if (merged) return { ids: rows.map(({ id }) => id), batch: merged }
  }
  const { id, count, body } = first
  const offsetMs = offsetOf(first)
  if (isPoll(body)) return { ids: [id], batch: mergeChunks([{ body, offsetMs }], dictionary) as OutgoingBatch }
  return { ids: [id], batch: storedBatch(body, count, offsetMs) }
}
