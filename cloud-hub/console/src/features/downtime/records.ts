import { useQuery } from '@tanstack/react-query'
import { apiQuery, getJson, type Schemas } from '../../api/client.ts'
import { DOWNTIME_RECORD_REASON_TYPE } from '../../api/enums.ts'

export type DowntimeRecord = Schemas['DowntimeRecord']
export type ReasonType = DowntimeRecord['reason_type']

/** The usual one first. */
export const TYPES: readonly ReasonType[] = ['unplanned', ...DOWNTIME_RECORD_REASON_TYPE.filter((it) => it !== 'unplanned')]

/** The operation `merge` joins records across uptime of this length. Source: the API document */
const MERGED_GAP_MS = 5 * 60_000
const PAGE_SIZE = 100
const PAGES_READ = 3

export const startOf = ({ started_at }: DowntimeRecord): number => Date.parse(started_at)
export const endOf = ({ ended_at }: DowntimeRecord, now = Date.now()): number => (ended_at === null ? now : Date.parse(ended_at))

/** The records that can be joined with one of them: those beside it, and those beside these. */
export function joinable(record: DowntimeRecord, others: readonly DowntimeRecord[]): DowntimeRecord[] {
  let [from, to] = [startOf(record), endOf(record)]
  const found = new Set<DowntimeRecord>()
  for (let hasGrown = true; hasGrown; ) {
    hasGrown = false
    for (const other of others) {
      if (other.id === record.id || other.machine_id !== record.machine_id || found.has(other)) continue
      if (startOf(other) > to + MERGED_GAP_MS || endOf(other) < from - MERGED_GAP_MS) continue
      found.add(other)
      from = Math.min(from, startOf(other))
      to = Math.max(to, endOf(other))
      hasGrown = true
    }
  }
  return [...found].toSorted((a, b) => startOf(a) - startOf(b))
}

interface RecordsQuery {
  from: Date
  /** undefined: now */
  to?: Date | undefined
  /** undefined while they are not known */
  machineIds: string[] | undefined
  type?: ReasonType | undefined
  /** where not all fit: the longest ones instead of the newest ones */
  isLongestFirst?: boolean
}

/** The records of some machines that touch a range, as far as some full pages hold them. */
export function useRecordsIn({ from, to, machineIds, type, isLongestFirst = false }: RecordsQuery) {
  const sort_by = isLongestFirst ? ('duration_minutes' as const) : ('started_at' as const)
  const range = { ended_after: from.toISOString(), date_to: to?.toISOString() }
  const filter = { machine_ids: machineIds?.join(','), reason_type: type, sort_by, ...range }
  return useQuery({
    queryKey: ['/fleet/downtime', { timeline: filter }],
    enabled: machineIds !== undefined,
    queryFn: async () => {
      const records: DowntimeRecord[] = []
      for (let page = 1; machineIds?.length && page <= PAGES_READ; page++) {
        const query = { ...filter, page, page_size: PAGE_SIZE }
        const { items, pagination } = await getJson('/fleet/downtime', { params: { query } })
        records.push(...items)
        if (page * PAGE_SIZE < pagination.total) continue
        return { records, isComplete: true }
      }
      return { records, isComplete: machineIds?.length === 0 }
    },
  })
}

export const useReasonCodes = () =>
  useQuery({ ...apiQuery('/reason-codes', { params: { query: { active_only: true } } }), staleTime: 5 * 60_000 })
