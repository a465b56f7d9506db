import type { TenantScope } from '../../../db/scope.ts'
import { resolveRange } from '../../../support/http/range.ts'
import { routeFor } from '../../../support/http/route.ts'
import { selectPage, TOTAL_HEADER } from '../../../support/http/shapes.ts'
import { findMachine, MachineParams } from '../../plant/machines/index.ts'
import {
  FleetReliabilityBody,
  FleetReliabilityQuery,
  MachineReliabilityBody,
  ParetoBody,
  ParetoQuery,
  ReliabilityQuery,
  UptimeBody,
  UptimeQuery,
} from './figure-schemas.ts'
import { pareto } from './pareto.ts'
import { fleetReliability, machineReliability } from './reliability.ts'
import { uptimeSummary } from './uptime.ts'

const route = routeFor<TenantScope>()
const tag = 'Downtime and reason codes'
const DEFAULT_MS = 30 * 86_400_000

export const figureRoutes = () => [
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/uptime-summary',
      operation: 'getMachineUptimeSummary',
      access: 'any',
      tag,
      summary: 'Uptime and downtime of a machine',
      description:
        'Over the last 30 days, or from `start` to `end`, at most 90 days and not beyond now. All types of downtime count, and each minute once.',
      params: MachineParams,
      query: UptimeQuery,
      returns: UptimeBody,
    },
    async ({ scope, params, query }) =>
      uptimeSummary(scope, params.machine_id, resolveRange(scope.clock.now(), query, DEFAULT_MS)),
    findMachine,
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/mttr-mtbf',
      operation: 'getMachineMttrMtbf',
      access: 'any',
      tag,
      summary: 'Mean time to restoration and between failures of a machine',
      description:
        'MTTR is the mean duration of ended `unplanned` and `maintenance` records. MTBF is the mean uptime from the end of an `unplanned` failure to the start of the next, without other downtime in between; an ongoing failure counts as one. Both as in ISO 22400-2, of what started in the window.',
      params: MachineParams,
      query: ReliabilityQuery,
      returns: MachineReliabilityBody,
    },
    async ({ scope, params, query }) => machineReliability(scope, params.machine_id, query.days),
    findMachine,
  ),
  route(
    {
      method: 'get',
      path: '/fleet/mttr-mtbf',
      operation: 'getFleetMttrMtbf',
      answerHeaders: TOTAL_HEADER,
      access: 'any',
      tag,
      summary: 'Mean time to restoration and between failures of all machines',
      description:
        'The figures of each active machine, and of the fleet: those pool the events of all machines and are no means of means.',
      query: FleetReliabilityQuery,
      returns: FleetReliabilityBody,
    },
    async ({ scope, query, caller }) => {
      const { machines, ...fleet } = await fleetReliability(scope, query)
      return { machines: selectPage(machines, query, caller), ...fleet }
    },
  ),
  route(
    {
      method: 'get',
      path: '/fleet/downtime/pareto',
      operation: 'getDowntimePareto',
      access: 'any',
      tag,
      summary: 'Which reasons cost the most time',
      description:
        'Minutes and number of stops by reason code, the longest first, with their shares; records without a code count by their type. Micro-stops are counted apart. Of active machines, over the last 30 days unless `days` or a date range says otherwise. A minute that several records of a machine cover belongs to the one that started first.',
      query: ParetoQuery,
      returns: ParetoBody,
    },
    async ({ scope, query }) => pareto(scope, query),
  ),
]
