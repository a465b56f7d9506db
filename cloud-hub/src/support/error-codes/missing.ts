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
  user_not_found: notFound('user', 'GET /api/v1/users'),
  role_not_found: notFound('role', 'GET /api/v1/settings/roles'),
  machine_not_found: notFound('machine', 'GET /api/v1/machines'),
  machine_group_not_found: notFound('machine group', 'GET /api/v1/machine-groups'),
  tag_mapping_not_found: notFound('tag mapping', 'GET /api/v1/machines/{machine_id}/tag-mappings'),
  ingest_source_not_found: notFound('polling source', 'GET /api/v1/ingest-sources'),
  rule_not_found: notFound('rule', 'GET /api/v1/alert-rules'),
  policy_not_found: notFound('escalation policy', 'GET /api/v1/escalation-policies'),
  alert_not_found: notFound('alert', 'GET /api/v1/alerts'),
  channel_not_found: notFound('notification channel', 'GET /api/v1/notification-channels'),
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
