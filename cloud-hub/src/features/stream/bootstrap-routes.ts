import type { TenantScope } from '../../db/scope.ts'
import { routeFor } from '../../support/http/route.ts'
import { z } from '../../support/http/z.ts'
import { AlertStats, alertStats } from '../alerting/alerts/index.ts'
import { CurrentUser, currentUser } from '../people/accounts/index.ts'
import { currentUnits, UnitSettings } from '../people/settings/index.ts'
import { GroupBody, listGroups, loadZones, ofGroup, presentGroup } from '../plant/machine-groups/index.ts'
import { countOverdue } from '../work/orders/index.ts'
import { currentCursor } from './changes.ts'
import { cursorToId } from './cursor.ts'

const route = routeFor<TenantScope>()

const BootstrapCompany = z
  .object({
    stream_position: z
      .string()
      .describe(
        'Send it as `Last-Event-ID` with the first `GET /stream`: that then sends what has changed since this answer, so that nothing read after it is read twice.',
      ),
    units: UnitSettings.describe('As `GET /settings/units` answers.'),
    time_zone: z.string().describe('Of the plant, as `GET /settings/plant` answers.'),
    sites: z.array(GroupBody).describe('The groups of type `site`, as `GET /machine-groups` answers.'),
    alerts: AlertStats.describe('As `GET /alerts/stats` answers.'),
    overdue_work_orders: z.int().describe('Open and begun work orders whose due date has passed.'),
  })
  .openapi('BootstrapCompany', {
    example: { stream_position: '1769860800000-740:740:', time_zone: 'Europe/Berlin', overdue_work_orders: 2 },
  })
const Bootstrap = z
  .object({
    user: CurrentUser.describe('As `GET /auth/me` answers.'),
    company: BootstrapCompany.nullable().describe(
      'Null while `mfa_setup_required`: the hub answers nothing of the company until then.',
    ),
  })
  .openapi('Bootstrap', { example: {} })

export const bootstrapRoutes = () => [
  route(
    {
      method: 'get',
      path: '/bootstrap',
      operation: 'getBootstrap',
      holdsSecrets: true,
      access: 'any',
      worksWithoutMfa: true,
      tag: 'Live',
      summary: 'What a page of a user begins with, in one answer',
      description:
        'The signed-in user, the units of the company, its sites, what waits for somebody, and the position from which `GET /stream` goes on.',
      query: z.object({ group_id: ofGroup('alerts and work orders, which are counted,') }),
      returns: Bootstrap,
    },
    async ({ scope, query }) => {
      const user = await currentUser(scope)
      if (user.mfa_setup_required) return { user, company: null }
      // before all others: what changes while they are read is sent once more instead of never
      const position = await currentCursor(scope)
      const [units, alerts, [zones, groups, overdue]] = await Promise.all([
        currentUnits(scope),
        alertStats(scope, query.group_id),
        scope.read((sql) =>
          Promise.all([
            loadZones(sql, scope.tenantId),
            listGroups(sql, scope, { type: 'site' }),
            countOverdue(sql, scope, query.group_id),
          ]),
        ),
      ])
      const company = {
        stream_position: cursorToId(position),
        units,
        time_zone: zones.plant,
        sites: groups.map(presentGroup),
        alerts,
        overdue_work_orders: overdue,
      }
      return { user, company }
    },
  ),
]
