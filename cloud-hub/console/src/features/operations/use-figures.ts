import { useQuery } from '@tanstack/react-query'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { keepWithin, useSite } from '../../app/site.ts'

export type Figures = Schemas['FiguresEntry']['figures']

/** The range of figures. */
export interface FiguresRange {
  from: Date
  to: Date
  machineId?: string | undefined
}

const useQueryOf = ({ from, to, machineId }: FiguresRange) => {
  const site = useSite()
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    machine_id: machineId,
    group_id: site,
  }
}

/** The figures of all machines, of the site or of one machine over a range, beside those of the range before. */
export const useTotals = (range: FiguresRange) =>
  useQuery({
    ...apiQuery('/fleet/figures', { params: { query: { ...useQueryOf(range), compare: 'previous' } } }),
    placeholderData: keepWithin(useSite()),
  })

/** The machines with the highest figure of a range. */
export const useRanking = (range: FiguresRange, sort_by: 'downtime_hours' | 'failure_event_count', page_size: number) =>
  useQuery({
    ...apiQuery('/fleet/figures', {
      params: { query: { ...useQueryOf(range), by: 'machine', sort_by, sort_dir: 'desc', page_size } },
    }),
    placeholderData: keepWithin(useSite()),
  })
