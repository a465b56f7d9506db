import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { findMachine, MachineParams } from '../../plant/machines/index.ts'
import { compareShifts } from './comparison.ts'
import { machineOee } from './machine-oee.ts'
import type { OeeDeps } from './recompute.ts'
import { ComparisonBody, ComparisonQuery, OeeBody, OeeQuery } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Shifts'

export const oeeRoutes = (deps: OeeDeps) => [
  route(
    {
      method: 'get',
      path: '/shifts/comparison',
      operation: 'compareShifts',
      access: 'any',
      tag,
      summary: 'OEE and downtime compared by shift',
      description:
        'Averages are means of the percentages of each completed log (ISO 22400-2), so every log counts alike; `weighted` has the figures from sums of minutes and parts. Without `machine_id` and `group_id` all machines count. Figures follow changes of logs, downtime, reason codes and counters within seconds. A filter by an unknown machine or group answers no shifts.',
      query: ComparisonQuery,
      returns: ComparisonBody,
    },
    ({ scope, query }) => compareShifts(scope, deps, query),
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/oee',
      operation: 'getMachineOee',
      access: 'any',
      tag,
      summary: 'OEE of a machine by shift, hour or day, with all its inputs',
      description:
        'Availability, performance, quality and their product by ISO 22400-2, with the times, counts and losses that they are computed from. `shift` lists the completed logs that ended in the range. Hours and days are computed over the shift time in them: that of the logs, the active one included; where the machine has no log in the range, the hours of the active shift definitions, without non-production days; without definitions all hours. Where the machine reports the metrics `total_count`, `good_count` and `ideal_cycle_seconds`, they replace performance and quality from time losses, also in `losses`. `weighted` has the figures of all periods together. At most 90 days, with `1h` 31.',
      params: MachineParams,
      query: OeeQuery,
      returns: OeeBody,
    },
    ({ scope, params, query }) => machineOee(scope, deps, params.machine_id, query),
    findMachine,
  ),
]
