import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type SearchMiddleware,
} from '@tanstack/react-router'
import {
  LIST_ALERTS_SEVERITY,
  LIST_ERP_LOGS_ENTITY_TYPE,
  LIST_ERP_LOGS_STATUS,
  LIST_FLEET_DOWNTIME_REASON_TYPE,
  LIST_MACHINES_IS_ACTIVE,
  LIST_MACHINES_SORT_DIR,
  LIST_MACHINES_STATUS,
  LIST_MAINTENANCE_EVENTS_STATUS,
  LIST_WORK_ORDERS_PRIORITY_ITEM,
  LIST_WORK_ORDERS_STATUS_ITEM,
} from '../api/filters.ts'
import { onSessionChange, sessionState } from '../api/session.ts'
import { loadAppMessages } from '../i18n/language.ts'
import { FailedPage, UnknownPage } from './fault-pages.tsx'
import { untilReload } from './reload.ts'
import { Root } from './root.tsx'
import * as search from './search.ts'

/** A page whose file is loaded when a link first leads to it. */
const pageOf: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => load().catch(untilReload), name)

const root = createRootRoute({ component: Root, errorComponent: FailedPage })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: search.fields({ next: search.path, sso: search.flag }),
  beforeLoad: ({ search }) => {
    const { next = '/' } = search as { next?: string }
    if (sessionState().status === 'signed_in') throw redirect({ href: next, replace: true })
  },
  component: pageOf(() => import('../features/sign-in/page.tsx'), 'SignInPage'),
})

/** Links of mails lead here. */
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  validateSearch: search.fields({ token: search.text }),
  component: pageOf(() => import('../features/sign-in/account-pages.tsx'), 'InvitationPage'),
})
const passwordReset = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  validateSearch: search.fields({ token: search.text }),
  component: pageOf(() => import('../features/sign-in/account-pages.tsx'), 'PasswordResetPage'),
})

const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  component: pageOf(() => import('../features/sign-in/register-page.tsx'), 'RegisterPage'),
})

/** Links keep the site, unless they name another one or none. */
const keepSite: SearchMiddleware<{ site?: string }> = ({ search: known, next }) => ({
  ...(known.site && { site: known.site }),
  ...next(known),
})

/** Everything that needs a signed-in user. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  validateSearch: search.fields({ site: search.uuid }),
  search: { middlewares: [keepSite] },
  beforeLoad: ({ location }) => {
    if (sessionState().status !== 'signed_out') return
    throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href }, replace: true })
  },
  loader: loadAppMessages,
  component: pageOf(() => import('./shell.tsx'), 'Shell'),
})

const overview = createRoute({
  getParentRoute: () => app,
  path: '/',
  validateSearch: search.fields({ status: search.oneOf(LIST_MACHINES_STATUS), find: search.text }),
  component: pageOf(() => import('../features/overview/page.tsx'), 'OverviewPage'),
})

const machines = createRoute({
  getParentRoute: () => app,
  path: '/machines',
  validateSearch: search.fields({
    page: search.positive,
    find: search.text,
    status: search.oneOf(LIST_MACHINES_STATUS),
    group: search.uuid,
    active: search.oneOf(LIST_MACHINES_IS_ACTIVE),
    sort: search.oneOf(['name', 'machine_identifier', 'status', 'location', 'updated_at']),
    dir: search.oneOf(LIST_MACHINES_SORT_DIR),
  }),
  component: pageOf(() => import('../features/machines/list-page.tsx'), 'MachinesPage'),
})

const machine = createRoute({
  getParentRoute: () => app,
  path: '/machines/$machineId',
  validateSearch: search.fields({
    tab: search.oneOf(['charts', 'condition', 'downtime', 'work', 'alerts', 'data']),
    metrics: search.text,
    from: search.instant,
    to: search.instant,
    window: search.oneOf(['1h', '8h', '24h', '7d', '30d', '90d', '1y']),
    mappings: search.oneOf(['open', 'confirmed']),
    page: search.positive,
  }),
  component: pageOf(() => import('../features/machines/machine-page.tsx'), 'MachinePage'),
})

const groups = createRoute({
  getParentRoute: () => app,
  path: '/machines/groups',
  component: pageOf(() => import('../features/groups/page.tsx'), 'GroupsPage'),
})

const alerts = createRoute({
  getParentRoute: () => app,
  path: '/alerts',
  validateSearch: search.fields({
    page: search.positive,
    severity: search.oneOf(LIST_ALERTS_SEVERITY),
    state: search.oneOf(['open', 'acknowledged', 'all']),
    machine: search.uuid,
    rule: search.uuid,
    view: search.oneOf(['list', 'groups']),
    from: search.instant,
    to: search.instant,
  }),
  component: pageOf(() => import('../features/alerts/inbox-page.tsx'), 'InboxPage'),
})

const alert = createRoute({
  getParentRoute: () => app,
  path: '/alerts/$alertId',
  component: pageOf(() => import('../features/alerts/alert-page.tsx'), 'AlertPage'),
})

const agents = createRoute({
  getParentRoute: () => app,
  path: '/agents',
  validateSearch: search.fields({
    page: search.positive,
    find: search.text,
    show: search.oneOf(['online', 'offline', 'update', 'unsupported', 'faults', 'retired']),
    sort: search.oneOf([
      'agent_id',
      'agent_version',
      'last_seen',
      'buffer_count',
      'buffer_age_hours',
      'buffer_full_in_hours',
      'dropped_count',
    ]),
    dir: search.oneOf(LIST_MACHINES_SORT_DIR),
  }),
  component: pageOf(() => import('../features/agents/list-page.tsx'), 'AgentsPage'),
})

const agent = createRoute({
  getParentRoute: () => app,
  path: '/agents/$agentId',
  component: pageOf(() => import('../features/agents/agent-page.tsx'), 'AgentPage'),
})

const updates = createRoute({
  getParentRoute: () => app,
  path: '/agents/updates',
  validateSearch: search.fields({ tab: search.oneOf(['rollouts', 'releases']), page: search.positive }),
  component: pageOf(() => import('../features/agents/updates/page.tsx'), 'UpdatesPage'),
})

const rollout = createRoute({
  getParentRoute: () => app,
  path: '/agents/updates/$rolloutId',
  validateSearch: search.fields({
    state: search.oneOf([
      'pending',
      'announced',
      'waiting',
      'downloading',
      'verified',
      'switched',
      'confirmed',
      'rolled_back',
      'refused',
      'failed',
      'skipped',
      'cancelled',
    ]),
    page: search.positive,
  }),
  component: pageOf(() => import('../features/agents/updates/rollout-page.tsx'), 'RolloutPage'),
})

const enrol = createRoute({
  getParentRoute: () => app,
  path: '/agents/enrol',
  component: pageOf(() => import('../features/agents/enrol-page.tsx'), 'EnrolPage'),
})

const workOrder = createRoute({
  getParentRoute: () => app,
  path: '/work-orders/$workOrderId',
  component: pageOf(() => import('../features/work/order-page.tsx'), 'WorkOrderPage'),
})

const workOrders = createRoute({
  getParentRoute: () => app,
  path: '/work-orders',
  validateSearch: search.fields({
    view: search.oneOf(['list', 'board']),
    page: search.positive,
    find: search.text,
    status: search.oneOf(LIST_WORK_ORDERS_STATUS_ITEM),
    priority: search.oneOf(LIST_WORK_ORDERS_PRIORITY_ITEM),
    mine: search.flag,
    overdue: search.flag,
    machine: search.uuid,
  }),
  component: pageOf(() => import('../features/work/list-page.tsx'), 'WorkOrdersPage'),
})

const maintenance = createRoute({
  getParentRoute: () => app,
  path: '/maintenance',
  validateSearch: search.fields({
    view: search.oneOf(['month', 'week']),
    date: search.day,
    machine: search.uuid,
    status: search.oneOf(LIST_MAINTENANCE_EVENTS_STATUS),
  }),
  component: pageOf(() => import('../features/maintenance/calendar-page.tsx'), 'CalendarPage'),
})

const maintenanceEvent = createRoute({
  getParentRoute: () => app,
  path: '/maintenance/$eventId',
  component: pageOf(() => import('../features/maintenance/event-page.tsx'), 'MaintenancePage'),
})

const rules = createRoute({
  getParentRoute: () => app,
  path: '/rules',
  validateSearch: search.fields({ tab: search.oneOf(['thresholds', 'composites', 'escalation', 'channels']) }),
  component: pageOf(() => import('../features/rules/page.tsx'), 'RulesPage'),
})

const operations = createRoute({
  getParentRoute: () => app,
  path: '/operations',
  validateSearch: search.fields({
    tab: search.oneOf(['downtime', 'shifts', 'sites', 'predictions']),
    sort: search.oneOf(['name', 'machine_count', 'active_alert_count', 'downtime_hours', 'uptime_percent', 'oee_weighted_pct']),
    dir: search.oneOf(LIST_MACHINES_SORT_DIR),
    days: search.oneOf(['1', '7', '30', '90']),
    from: search.instant,
    to: search.instant,
    type: search.oneOf(LIST_FLEET_DOWNTIME_REASON_TYPE),
    machine: search.uuid,
    page: search.positive,
  }),
  component: pageOf(() => import('../features/operations/page.tsx'), 'OperationsPage'),
})

const site = createRoute({
  getParentRoute: () => app,
  path: '/sites/$siteId',
  component: pageOf(() => import('../features/sites/page.tsx'), 'SitePage'),
})

const erp = createRoute({
  getParentRoute: () => app,
  path: '/erp',
  validateSearch: search.fields({
    tab: search.oneOf(['connections', 'log']),
    page: search.positive,
    status: search.oneOf(LIST_ERP_LOGS_STATUS),
    entity: search.oneOf(LIST_ERP_LOGS_ENTITY_TYPE),
    connection: search.uuid,
    from: search.day,
    to: search.day,
  }),
  component: pageOf(() => import('../features/erp/page.tsx'), 'ErpPage'),
})

const erpConnection = createRoute({
  getParentRoute: () => app,
  path: '/erp/$connectionId',
  validateSearch: search.fields({
    page: search.positive,
    status: search.oneOf(LIST_ERP_LOGS_STATUS),
    entity: search.oneOf(LIST_ERP_LOGS_ENTITY_TYPE),
    run: search.uuid,
  }),
  component: pageOf(() => import('../features/erp/connection-page.tsx'), 'ConnectionPage'),
})

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  validateSearch: search.fields({
    tab: search.oneOf(['personal', 'company', 'lists', 'members', 'sso', 'keys', 'audit']),
    find: search.text,
    actor: search.uuid,
    kind: search.oneOf(['security']),
    type: search.text,
    target: search.text,
    from: search.day,
    to: search.day,
    page: search.positive,
  }),
  component: pageOf(() => import('../features/settings/page.tsx'), 'SettingsPage'),
})

/** Every other address. */
const unknown = createRoute({ getParentRoute: () => app, path: '$', component: UnknownPage })

const routeTree = root.addChildren([
  signIn,
  invitation,
  passwordReset,
  register,
  app.addChildren([
    overview,
    machines,
    groups,
    machine,
    alerts,
    alert,
    agents,
    enrol,
    updates,
    rollout,
    agent,
    workOrders,
    workOrder,
    maintenance,
    maintenanceEvent,
    rules,
    operations,
    site,
    erp,
    erpConnection,
    settings,
    unknown,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: false,
  defaultErrorComponent: FailedPage,
  scrollRestoration: true,
  // a search value is one string: readable addresses, and nothing to parse
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (values) => {
    const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '')
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    return text ? `?${text}` : ''
  },
})

// a sign-in or a session that ends leads to the other page, in every tab
onSessionChange(() => router.invalidate())

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
