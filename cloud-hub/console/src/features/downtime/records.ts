import { useQuery } from '@tanstack/react-query'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { DOWNTIME_RECORD_REASON_TYPE } from '../../api/enums.ts'
import { useSite } from '../../app/site.ts'

export type DowntimeRecord = Schemas['DowntimeRecord']
export type ReasonType = DowntimeRecord['reason_type']

/** The usual one first. */
export const TYPES: readonly ReasonType[] = ['unplanned', ...DOWNTIME_RECORD_REASON_TYPE.filter((it) => it !== 'unplanned')]

/** The operation `merge` joins records across uptime of this length. Source: the API document */
const MERGED_GAP_MS = 5 * 60_000
const PAGE_SIZE = 100
const PAGES_READ = 5
const DAY_MS = 86_400_000

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

/** The records that touch a time, as far as five full pages hold them: the list filters by start, so older ongoing ones are added. */
export function useRecordsIn(query: { from: Date; machineId?: string | undefined; type?: ReasonType | undefined }) {
  const filter = { machine_id: query.machineId, reason_type: query.type, group_id: useSite() }
  const date_from = new Date(query.from.getTime() - DAY_MS).toISOString()
  const list = async (more: { date_from?: string; status?: 'ongoing'; page: number }) =>
    unwrap(api.GET('/fleet/downtime', { params: { query: { ...filter, page_size: PAGE_SIZE, ...more } } }))
  return useQuery({
    queryKey: ['/fleet/downtime', { timeline: { ...filter, date_from } }],
    queryFn: async () => {
      const ongoing = await list({ status: 'ongoing', page: 1 })
      const records = new Map(ongoing.items.map((it) => [it.id, it]))
      for (let page = 1; page <= PAGES_READ; page++) {
        const { items, pagination } = await list({ date_from, page })
        for (const it of items) records.set(it.id, it)
        if (page * PAGE_SIZE >= pagination.total) return { records: [...records.values()], isComplete: true }
      }
      return { records: [...records.values()], isComplete: false }
    },
  })
}

export const useReasonCodes = () =>
  useQuery({ ...apiQuery('/reason-codes', { params: { query: { active_only: true } } }), staleTime: 5 * 60_000 })
