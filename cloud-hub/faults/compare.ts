import type postgres from 'postgres'
import { storedByValue } from '../test/support/stored-readings.ts'
import { type Entry, type EntryStatus, type Ledger, seriesKey } from './ledger.ts'

/** The differences between ledger and database, in readings. */
export interface Comparison {
  /** all readings of the ledger */
  readings: number
  /** in the ledger, not in the database */
  lost: number
  /** lost readings that the hub had confirmed as stored */
  falselyAccepted: number
  /** in the database but not in the ledger, or stored although refused */
  invented: number
  /** in the database with a wrong timestamp, unit or series */
  altered: number
  /** additional copies in the database */
  doubled: number
  /** missing, but possibly not yet on the agent's disk when it was killed: not counted as lost */
  inFlight: number
  /** refused by the hub individually */
  refused: number
  /** the first few differences, as text */
  examples: string[]
}

export const EMPTY_COMPARISON: Comparison = {
  readings: 0,
  lost: 0,
  falselyAccepted: 0,
  invented: 0,
  altered: 0,
  doubled: 0,
  inFlight: 0,
  refused: 0,
  examples: [],
}

interface Stored {
  value: number
  at: number
}

/** How many unmatched readings are kept, to detect those that only changed their series. */
const MAX_UNMATCHED = 10_000
const MAX_EXAMPLES = 5

/**
 * Compares series by series, both sides ordered by value and read as streams, so memory does not grow with the number of readings.
 * @param sql the owner's connection: it sees all tenants
 */
export async function compare(ledger: Ledger, sql: postgres.Sql): Promise<Comparison> {
  const result = { ...EMPTY_COMPARISON, examples: [] as string[] }
  const missing = new Map<number, { key: string; status: EntryStatus }[]>()
  const extra: { key: string; stored: Stored }[] = []
  const example = (text: string) => result.examples.length < MAX_EXAMPLES && result.examples.push(text)
  const time = (at: number) => new Date(at).toISOString()

  const miss = (key: string, entry: Entry & { status: EntryStatus }) => {
    result.readings++
    if (entry.status === 'refused') result.refused++
    else if (entry.status === 'in flight') result.inFlight++
    else if (entry.status !== 'removed') {
      result.lost++
      if (entry.status === 'stored') result.falselyAccepted++
      example(
        `lost: ${key} = ${entry.value} of ${time(entry.from)}${entry.status === 'stored' ? ', which the hub had confirmed' : ''}`,
      )
      if (missing.size < MAX_UNMATCHED)
        missing.set(entry.value, [...(missing.get(entry.value) ?? []), { key, status: entry.status }])
    }
  }
  const surplus = (key: string, stored: Stored) => {
    result.invented++
    example(`invented: ${key} = ${stored.value} at ${time(stored.at)}`)
    if (extra.length < MAX_UNMATCHED) extra.push({ key, stored })
  }
  const match = (key: string, entry: Entry & { status: EntryStatus }, found: readonly Stored[]) => {
    result.readings++
    if (entry.status === 'refused') return found.forEach((stored) => void surplus(key, stored))
    const copies = entry.status === 'removed' ? found.length : found.length - 1
    if (copies > 0) {
      result.doubled += copies
      example(`doubled: ${key} = ${entry.value} at ${found.map((f) => time(f.at)).join(' and ')}`)
    }
    if (found.some(({ at }) => at >= entry.from && at <= entry.to)) return
    result.altered++
    example(`altered: ${key} = ${entry.value} is of ${time(entry.from)} and stored at ${time(found[0]?.at as number)}`)
  }

  const stored = await sql<{ id: number; tenantId: string; machine: string; metric: string; unit: string }[]>`
    select s.id, s.tenant_id as "tenantId", m.machine_identifier as machine, s.metric, s.unit
    from series s join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id`
  const idOf = new Map(stored.map((row) => [seriesKey(row), row.id]))
  const known = ledger.names()
  for (const [key, number] of known) {
    const id = idOf.get(key)
    const rows = id === undefined ? nothing() : storedByValue(sql, id)
    const mine = ledger.entries(number)[Symbol.iterator]()
    let entry = mine.next()
    let row = await rows.next()
    while (!entry.done || !row.done) {
      if (entry.done || (!row.done && row.value.value < entry.value.value)) {
        surplus(key, row.value as Stored)
        row = await rows.next()
      } else if (row.done || entry.value.value < row.value.value) {
        miss(key, entry.value)
        entry = mine.next()
      } else {
        const found: Stored[] = []
        for (; !row.done && row.value.value === entry.value.value; row = await rows.next()) found.push(row.value)
        match(key, entry.value, found)
        entry = mine.next()
      }
    }
  }
  for (const [key, id] of idOf) {
    if (known.has(key)) continue
    for await (const row of storedByValue(sql, id)) surplus(key, row)
  }
  // a value that one series lacks and another has too many has changed its series: count one fault, not two
  for (const {
    stored: { value },
  } of extra) {
    const lost = missing.get(value)?.pop()
    if (!lost) continue
    result.lost--
    if (lost.status === 'stored') result.falselyAccepted--
    result.invented--
    result.altered++
  }
  return result
}

/** The readings of a series that is not stored. */
async function* nothing(): AsyncGenerator<Stored, undefined> {}
