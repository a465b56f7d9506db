import type { TransactionSql } from '../../db/pools.ts'
import { decodeBlock, mergeColumns } from '../codec/block.ts'
import { type Columns, emptyColumns, indexAtOrAfter } from '../codec/columns.ts'
import { readTailBody } from '../codec/tail-body.ts'
import type { NeighbourRequest } from '../range.ts'
import { storedAround, TAIL } from './stored-parts.ts'
import { visitRows } from './visit-rows.ts'

/** The stored neighbours of some instants, for each request in its order; fewer where the series begins or ends. */
export async function neighbours(tx: TransactionSql, requests: readonly NeighbourRequest[]): Promise<Columns[]> {
  if (requests.length === 0) return []
  const found = requests.map((): Columns[] => [])
  const add = (place: number, columns: Columns) => {
    const { at, before, after } = requests[place] as NeighbourRequest
    found[place]?.push(around(columns, at, before, after))
  }
  const tails = new Map<number, Columns[]>(requests.map(({ series }) => [series.id, []]))
  let block = emptyColumns()
  await visitRows(storedAround(tx, requests), ({ kind, place, n, times, vals }) => {
    if (kind === TAIL && vals)
      readTailBody(
        vals,
        (id) => tails.has(id),
        (id, at, values) => tails.get(id)?.push({ length: at.length, times: at, values }),
      )
    else {
      // the same block as in the row before has no bytes
      if (times && vals) block = decodeBlock(n, times, vals)
      add(place, block)
    }
  })
  const merged = new Map([...tails].map(([id, parts]) => [id, mergeColumns(parts)]))
  return requests.map(({ series, at, before, after }, place) => {
    add(place, merged.get(series.id) as Columns)
    return around(mergeColumns(found[place] as Columns[]), at, before, after)
  })
}

/** Copies the neighbours of an instant in these columns. */
function around({ length, times, values }: Columns, at: number, before: number, after: number): Columns {
  const middle = indexAtOrAfter(times, 0, length, at + 1)
  const [from, to] = [Math.max(0, middle - before), Math.min(length, middle + after)]
  return { length: to - from, times: times.slice(from, to), values: values.slice(from, to) }
}
