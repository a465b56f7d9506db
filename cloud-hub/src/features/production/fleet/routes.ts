import type { TenantScope } from '../../../db/scope.ts'
import { CSV_LIST, csvAnswer, prefersCsv } from '../../../support/http/csv.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import type { OeeDeps } from '../oee/index.ts'
import { fleetOverview } from './overview.ts'
import {
  ComparisonQuery,
  FleetOverviewBody,
  FleetStatusBody,
  OverviewQuery,
  SiteBody,
  SiteParams,
  SiteQuery,
  StatusQuery,
} from './schemas.ts'
import { compareSites, figuresOfSite, findSite, siteFigures } from './sites.ts'
import { fleetStatus } from './status.ts'

const route = routeFor<TenantScope>()
const tag = 'Fleet and edge agent'

export const fleetRoutes = (deps: OeeDeps) => [
  route(
    {
      method: 'get',
      path: '/fleet/status',
      operation: 'getFleetStatus',
      access: 'any',
      tag,
      summary: 'The state of every active machine',
      description: 'All active machines of the tenant at once, by name, with status, open alerts and newest reading.',
      query: StatusQuery,
      returns: FleetStatusBody,
    },
    async ({ scope, query }) => {
      const machines = await fleetStatus(scope, query.group_id)
      return { total_machines: machines.length, machines }
    },
  ),
  route(
    {
      method: 'get',
      path: '/fleet/overview',
      operation: 'getFleetOverview',
      access: 'any',
      tag,
      summary: 'Machines by urgency, a page at a time',
      description:
        'Active machines in the order critical, warning, offline, healthy, then by name, with their newest readings. Every answer counts the machines of the tenant, or of the group, by status, so that a page of thousands of machines needs no other request.',
      query: OverviewQuery,
      returns: FleetOverviewBody,
    },
    async ({ scope, query }) => fleetOverview(deps.store, scope, query),
  ),
  route(
    {
      method: 'get',
      path: '/fleet/sites',
      operation: 'listSites',
      access: 'any',
      tag,
      summary: 'All sites with their figures',
      description:
        'A site is a machine group of type `site`, with the machines of all groups below it. The figures cover the last 30 days unless `days` says otherwise, and pool the events of its active machines.',
      query: SiteQuery,
      returns: z.array(SiteBody),
    },
    async ({ scope, query }) => siteFigures(scope, deps, query.days),
  ),
  route(
    {
      method: 'get',
      path: '/fleet/sites/comparison',
      operation: 'compareSites',
      access: 'any',
      tag,
      summary: 'Sites ranked by a figure',
      description: 'The same figures of all sites, in the order of one of them.',
      query: ComparisonQuery,
      returns: z.array(SiteBody),
      media: CSV_LIST,
    },
    async ({ scope, query, caller }) => {
      const sites = await compareSites(scope, deps, query)
      return prefersCsv(caller.headers.get('accept')) ? ((await csvAnswer(sites, SiteBody, 'sites')) as never) : sites
    },
  ),
  route(
    {
      method: 'get',
      path: '/fleet/sites/{site_id}/kpis',
      operation: 'getSiteKpis',
      access: 'any',
      tag,
      summary: 'The figures of one site',
      description: 'The figures of a site with the machines of its nested groups. A group of another type is no site.',
      params: SiteParams,
      query: SiteQuery,
      returns: SiteBody,
    },
    async ({ scope, params, query }) => figuresOfSite(scope, deps, params.site_id, query.days),
    findSite,
  ),
]
