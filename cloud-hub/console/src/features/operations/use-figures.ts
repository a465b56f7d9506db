import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { apiQuery, type Schemas } from '../../api/client.ts'

export type Figures = Schemas['FiguresEntry']['figures']

/** The range of figures. */
export interface FiguresRange {
  from: Date
  to: Date
  machineId?: string | undefined
}

const queryOf = ({ from, to, machineId }: FiguresRange) => ({
  from: from.toISOString(),
  to: to.toISOString(),
  machine_id: machineId,
})

/** The figures of all machines or one over a range, beside those of the range before. */
export const useTotals = (range: FiguresRange) =>
  useQuery({
    ...apiQuery('/fleet/figures', { params: { query: { ...queryOf(range), compare: 'previous' } } }),
    placeholderData: keepPreviousData,
  })

/** The machines with the highest figure of a range. */
export const useRanking = (range: FiguresRange, sort_by: 'downtime_hours' | 'failure_event_count', page_size: number) =>
  useQuery({
    ...apiQuery('/fleet/figures', {
      params: { query: { ...queryOf(range), by: 'machine', sort_by, sort_dir: 'desc', page_size } },
    }),
    placeholderData: keepPreviousData,
  })
