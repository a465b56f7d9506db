import type { TenantScope } from '../../db/scope.ts'
import { routeFor } from '../../support/http/route.ts'
import { SearchAnswer, SearchQuery } from './schemas.ts'
import { search } from './search.ts'

const route = routeFor<TenantScope>()

export const searchRoutes = () => [
  route(
    {
      method: 'get',
      path: '/search',
      operation: 'searchRecords',
      access: 'any',
      tag: 'Search',
      summary: 'Find machines, alerts, work orders, agents and people by a few letters',
      description:
        'Looks among what the caller may list, which `searched` names: agents and people only for admins, and for an access token only the kinds of its scopes (`machines:read`, `alerts:read`, `work:read`, `agents:read`, `team:read`); people not for one of some groups. Of each kind exact names come first, then those that begin with the text, then those of which a word does.',
      query: SearchQuery,
      returns: SearchAnswer,
    },
    async ({ scope, query }) => search(scope, query),
  ),
]
