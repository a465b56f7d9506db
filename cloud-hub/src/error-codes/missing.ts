import type { ErrorEntry } from './entry.ts'

const notFound = <const Thing extends string>(thing: Thing, list: string) =>
  ({
    status: 404,
    meaning: `Your tenant has no such ${thing}, or it belongs to another tenant.`,
    remedy: `List the ids that exist with \`${list}\`.`,
  }) as const

/** Refusals that concern things that the tenant does not have. */
export const MISSING_CODES = {
  api_key_not_found: notFound('API key', 'GET /api/v1/api-keys'),
  access_token_not_found: notFound('access token', 'GET /api/v1/tokens'),
  service_account_not_found: notFound('service account', 'GET /api/v1/service-accounts'),
  user_not_found: notFound('user', 'GET /api/v1/users'),
  role_not_found: notFound('role', 'GET /api/v1/settings/roles'),
  enrolment_key_not_found: notFound('enrolment key', 'GET /api/v1/enrolment-keys'),
  machine_not_found: notFound('machine', 'GET /api/v1/machines'),
  agent_not_found: notFound('agent', 'GET /api/v1/agent/fleet'),
  agent_rollout_not_found: notFound('rollout', 'GET /api/v1/agent/rollouts'),
  agent_release_not_found: {
    status: 404,
    meaning: 'The hub has no such release of the agent.',
    remedy: 'List the releases with `GET /api/v1/agent/releases`; the operator of the hub adds them.',
  },
  machine_group_not_found: notFound('machine group', 'GET /api/v1/machine-groups'),
  tag_mapping_not_found: notFound('tag mapping', 'GET /api/v1/machines/{machine_id}/tag-mappings'),
  ingest_source_not_found: notFound('polling source', 'GET /api/v1/ingest-sources'),
  rule_not_found: notFound('rule', 'GET /api/v1/alert-rules'),
  policy_not_found: notFound('escalation policy', 'GET /api/v1/escalation-policies'),
  alert_not_found: notFound('alert', 'GET /api/v1/alerts'),
  work_order_not_found: notFound('work order', 'GET /api/v1/work-orders'),
  instruction_not_found: notFound('instruction', 'GET /api/v1/work-orders/{work_order_id}/instructions'),
  attachment_not_found: notFound('attachment', 'GET /api/v1/attachments/work-order/{work_order_id}'),
  maintenance_event_not_found: notFound('maintenance event', 'GET /api/v1/maintenance'),
  note_not_found: notFound('note', 'GET /api/v1/notes'),
  checklist_not_found: notFound('checklist', 'GET /api/v1/checklists'),
  calendar_token_not_found: notFound('calendar token', 'GET /api/v1/calendar-tokens'),
  channel_not_found: notFound('notification channel', 'GET /api/v1/notification-channels'),
  downtime_record_not_found: notFound('downtime record', 'GET /api/v1/machines/{machine_id}/downtime'),
  reason_code_not_found: notFound('reason code', 'GET /api/v1/reason-codes'),
  site_not_found: notFound('site', 'GET /api/v1/fleet/sites'),
  signoff_not_found: notFound('signoff', 'GET /api/v1/work-orders/{work_order_id}/signoffs'),
  shift_definition_not_found: notFound('shift definition', 'GET /api/v1/shifts/definitions?active_only=false'),
  shift_log_not_found: notFound('shift log', 'GET /api/v1/shifts/logs'),
  erp_connection_not_found: notFound('ERP connection', 'GET /api/v1/erp/connections'),
  erp_run_not_found: notFound('run of an ERP connection', 'GET /api/v1/erp/connections/{connection_id}/runs'),
  subscription_not_found: {
    status: 404,
    meaning: 'You have no push subscription with this endpoint.',
    remedy: 'Nothing is left to do: the browser receives no alerts of yours.',
  },
  sso_config_not_found: {
    status: 404,
    meaning: 'Your tenant has no SSO configuration.',
    remedy: 'Create one with `POST /api/v1/auth/sso/config`.',
  },
} as const satisfies Record<string, ErrorEntry>
