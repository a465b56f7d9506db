import type { QueryClient } from '@tanstack/react-query'
import { takeChanges } from './changes.ts'

const ALERTS = ['/alerts', '/alerts/groups', '/alerts/stats', '/alerts/{alert_id}', '/alerts/{alert_id}/history']
const ATTACHMENTS = [
  '/attachments/work-order/{work_order_id}',
  '/attachments/maintenance/{event_id}',
  '/work-orders/{work_order_id}/history',
]
const DEFINITIONS = ['/shifts/definitions', '/shifts/comparison', '/shifts/logs']
/** Lists of stops, and every figure that is computed from them. */
const DOWNTIME = [
  '/fleet/downtime',
  '/fleet/downtime/pareto',
  '/fleet/figures',
  '/machines/{machine_id}/uptime-summary',
  '/machines/{machine_id}/mttr-mtbf',
  '/machines/{machine_id}/oee',
  '/shifts/comparison',
]
const ERP = ['/erp/connections', '/erp/connections/{connection_id}']
const MACHINES = ['/machines', '/machines/{machine_id}', '/fleet/overview', 'machine-name']
const ORDERS = ['/work-orders', '/work-orders/{work_order_id}', '/work-orders/{work_order_id}/history']
const STEPS = ['/work-orders/{work_order_id}/instructions', '/work-orders/{work_order_id}/history']

/** Paths whose changes make only the query of the same path stale. */
const ITSELF = [
  '/agent/fleet',
  '/alerts/{alert_id}/comments',
  '/api-keys',
  '/auth/sso/config',
  '/calendar-tokens',
  '/checklists',
  '/composite-rules',
  '/enrolment-keys',
  '/escalation-policies',
  '/ingest-sources',
  '/settings/roles',
  '/work-orders/{work_order_id}/comments',
]

/** By the path of a change, or its beginning: the queries that it makes stale. Changes that are not here make none stale. */
const STALE: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(ITSELF.map((path) => [path, [path]])),
  '/agent/rollouts': ['/agent/rollouts', '/agent/rollouts/{rollout_id}'],
  '/alert-rules': ['/alert-rules', '/alert-rules/suggestions'],
  '/alert-rules/backtest': [],
  '/alerts': ALERTS,
  '/attachments': ATTACHMENTS,
  '/erp/connections': ERP,
  '/erp/connections/{connection_id}/sync': [
    ...ERP,
    '/erp/connections/{connection_id}/runs',
    '/erp/connections/{connection_id}/logs',
    '/erp/logs',
    '/machines',
  ],
  '/ingest-sources/{source_id}/browse': [],
  '/machine-groups': [
    '/notes',
    '/machine-groups',
    '/machine-groups/tree',
    '/machine-groups/site-conflicts',
    '/machine-groups/{group_id}',
    '/machines',
    '/fleet/sites',
    '/fleet/sites/comparison',
    '/agent/fleet',
    // a site has shifts and days of its own
    '/settings/plant',
    ...DEFINITIONS,
  ],
  '/machines': MACHINES,
  '/machines/{machine_id}/downtime': DOWNTIME,
  '/maintenance': ['/maintenance', '/maintenance/{event_id}'],
  '/maintenance/{event_id}/work-order': ORDERS,
  '/notes': ['/notes', '/shifts/logs/{log_id}/handover'],
  // escalations show whether their channel is active
  '/notification-channels': ['/notification-channels', '/escalation-policies'],
  '/reason-codes': ['/reason-codes', '/fleet/downtime'],
  '/settings/api-keys': ['/api-keys'],
  '/settings/plant': ['/settings/plant', ...DEFINITIONS],
  // the metrics that a person pins
  '/settings/profile': ['/fleet/overview'],
  // the administrator may be the first who needs two-factor sign-in
  '/settings/security': ['/auth/me'],
  '/shifts/definitions': DEFINITIONS,
  '/shifts/logs': ['/shifts/logs', '/shifts/active', '/shifts/comparison'],
  '/tag-mappings': ['/machines/{machine_id}/tag-mappings'],
  '/service-accounts': ['/service-accounts', '/settings/tokens', '/users', '/users/directory', '/settings/roles'],
  '/tokens': ['/tokens', '/settings/tokens', '/service-accounts'],
  // roles count their members
  '/users': ['/users', '/settings/roles', '/service-accounts'],
  '/work-orders': ORDERS,
  '/work-orders/{work_order_id}/instructions': STEPS,
  '/work-orders/{work_order_id}/signoffs': ['/work-orders/{work_order_id}/signoffs', ...ORDERS],
}

/** The entry for a change at `path`: its own, or that of its longest beginning. */
export function staleAfter(path: string): readonly string[] {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const found = STALE[path.slice(0, end)]
    if (found) return found
  }
  return []
}

/** Marks as stale what requests have changed since the last time. @returns when the queries that are shown have been read again */
export async function refreshStale(client: QueryClient): Promise<void> {
  const stale = new Map<string, boolean>()
  for (const [method, path] of takeChanges()) {
    // a resource that is deleted cannot be read again, and its page is about to be left
    const isResource = method === 'DELETE' && path.endsWith('}')
    const isGone = (query: string) => isResource && (query === path || query.startsWith(`${path}/`))
    for (const query of staleAfter(path)) stale.set(query, stale.get(query) === true || !isGone(query))
  }
  const marked = [...stale].map(([path, isShown]) =>
    client.invalidateQueries({ queryKey: [path], refetchType: isShown ? 'active' : 'none' }),
  )
  await Promise.all(marked)
}
