import type { TenantScope } from '../../../db/scope.ts'
import { CSV_LIST, csvAnswer, prefersCsv } from '../../../support/http/csv.ts'
import { routeFor } from '../../../support/http/route.ts'
import type { OeeDeps } from '../oee/index.ts'
import { fleetFigures } from './fleet-figures.ts'
import { FiguresBody, FiguresEntry, FiguresQuery } from './schemas.ts'
import { MAX_ENTRIES } from './window.ts'

const route = routeFor<TenantScope>()

export const figuresRoutes = (deps: OeeDeps) => [
  route(
    {
      method: 'get',
      path: '/fleet/figures',
      operation: 'getFleetFigures',
      access: 'any',
      tag: 'Fleet and edge agent',
      summary: 'Downtime, uptime, OEE, parts, alerts, MTTR and MTBF of any machines over any range',
      description: `Sums and rates of all active machines, of a group or of one machine, over up to 366 days: in all or by shift, day or week, and by machine, group or reason. Shifts count by their date: those whose day starts in the range. A filter by an unknown machine or group has no machines. All pages together have at most ${MAX_ENTRIES.toLocaleString('en')} entries; more are refused with 422: choose a shorter range, a longer interval, or a group.`,
      query: FiguresQuery,
      returns: FiguresBody,
      media: CSV_LIST,
    },
    async ({ scope, query, caller }) => {
      if (!prefersCsv(caller.headers.get('accept'))) return fleetFigures(scope, deps, query)
      // there are never more entries than that
      const { items } = await fleetFigures(scope, deps, { ...query, page: 1, page_size: MAX_ENTRIES })
      return (await csvAnswer(items, FiguresEntry, 'figures')) as never
    },
  ),
]
