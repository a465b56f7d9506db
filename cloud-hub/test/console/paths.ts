/** What the pages of one thing show. */
export interface ShownIds {
  machine: string
  alert: string
  order: string
  event: string
  erp: string
  agent: string
  rollout: string
  site: string
}

const tabs = (path: string, names: string[]) => names.map((tab) => `${path}?tab=${tab}`)

/**
 * Every page of the console behind the sign-in; the walks of the tests and the screenshots use it.
 * @param month whose calendar is shown, such as 2026-03-02
 */
export const pathsOf = (ids: ShownIds, month: string): string[] => [
  '/',
  '/machines',
  '/machines/groups',
  ...tabs(`/machines/${ids.machine}`, ['charts', 'condition', 'downtime', 'work', 'alerts', 'data']),
  '/alerts',
  `/alerts/${ids.alert}`,
  '/work-orders',
  '/work-orders?view=board',
  `/work-orders/${ids.order}`,
  `/maintenance?date=${month}`,
  `/maintenance?date=${month}&view=week`,
  `/maintenance/${ids.event}`,
  ...tabs('/rules', ['thresholds', 'composites', 'escalation', 'channels']),
  ...tabs('/operations', ['downtime', 'shifts', 'sites', 'predictions']),
  `/sites/${ids.site}`,
  '/erp',
  '/erp?tab=log',
  `/erp/${ids.erp}`,
  '/agents',
  `/agents/${ids.agent}`,
  '/agents/enrol',
  ...tabs('/agents/updates', ['rollouts', 'releases']),
  `/agents/updates/${ids.rollout}`,
  ...tabs('/settings', ['personal', 'company', 'lists', 'members', 'sso', 'keys', 'audit']),
  '/no/such/page',
]
