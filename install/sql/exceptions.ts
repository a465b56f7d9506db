/** Statements that break a rule for a reason: by file, and by the tables where only some are excepted. */
export interface Exception {
  files: string
  tables?: string[]
  because: string
}

/** Statements that are put together in a way that `templates.ts` does not follow, so that they cannot be parsed. */
export const UNPARSED: Exception[] = [
  {
    files: 'cloud-hub/src/features/delivery/notifications/enqueue.ts',
    because: 'the statement that stores the alerts is an argument: alerting/evaluation/open-alerts.ts has it, where it is parsed',
  },
  {
    files: 'cloud-hub/src/readings/query/stored-days.ts',
    because: 'a closure gets a subquery as its argument',
  },
  {
    files: 'cloud-hub/src/readings/query/stored-parts.ts',
    because: 'a list of subqueries becomes one by `union all`; each of them is parsed by itself',
  },
]

export const WITHOUT_TENANT: Exception[] = [
  { files: 'cloud-hub/src/cli/**', because: 'the operator manages all tenants of the hub' },
  { files: 'cloud-hub/src/db/backup/**', because: 'a backup contains all tenants' },
  {
    files: 'cloud-hub/src/features/alerting/escalation/escalate.ts',
    tables: ['alerts'],
    because: 'the rows are those whose place the statement found by tenant before',
  },
  {
    files: 'cloud-hub/src/readings/anomalies/save-anomalies.ts',
    tables: ['anomaly_events'],
    because: 'a flush of several tenants finds open excursions by the id of the series, which no two tenants share',
  },
  {
    files: 'cloud-hub/src/features/telemetry/series/load-context.ts',
    tables: ['baselines'],
    because: 'the key of a baseline is the id of its series, which the statement found by tenant',
  },
]

/** Statements on tables of an area that is not below their own. */
export const ACROSS_AREAS: Exception[] = [
  {
    files: 'cloud-hub/src/features/alerting/{evaluation/open-alerts,escalation/escalate}.ts',
    tables: ['maintenance_events'],
    because: 'alerts of a machine under maintenance are muted in the statement that stores or escalates them',
  },
  {
    files: 'cloud-hub/src/features/alerting/alerts/{acknowledge-alert,repository,snooze-alert}.ts',
    tables: ['work_orders'],
    because: 'an alert shows its open work order',
  },
  {
    files: 'cloud-hub/src/features/alerting/rules/{backtest,suggestions/suggest}.ts',
    tables: ['series', 'baselines'],
    because: 'rules are tested and suggested with stored readings',
  },
  {
    files: 'cloud-hub/src/features/delivery/notifications/claim.ts',
    tables: ['alerts', 'escalations', 'escalation_policies'],
    because: 'the claim of a delivery reads what its message says',
  },
  {
    files: 'cloud-hub/src/features/mails/{enqueue-mail,preferences}.ts',
    tables: ['users', 'tenants'],
    because: 'a mail is in the language of its reader, and obeys what he chose',
  },
  {
    files: 'cloud-hub/src/features/people/accounts/agent-credentials.ts',
    tables: ['agents'],
    because: 'the credential of an agent is checked with the state of the agent',
  },
  {
    files: 'cloud-hub/src/features/telemetry/series/load-context.ts',
    tables: ['downtime_detections'],
    because: 'one statement loads all that a flush must know of its series, so which of them detection of downtime needs',
  },
]
