interface ErrorEntry {
  /** HTTP status; several where the same code is answered in several situations */
  status: number | readonly number[]
  /** a sentence: what the caller is to understand */
  meaning: string
  /** a sentence: what the caller can do about it */
  remedy: string
}

const notFound = <const Thing extends string>(thing: Thing, list: string) =>
  ({
    status: 404,
    meaning: `Your tenant has no such ${thing}, or it belongs to another tenant.`,
    remedy: `List the ids that exist with \`${list}\`.`,
  }) as const

/**
 * Every `code` that a problem document can carry: the vocabulary of refusals. A code without an entry does not compile, neither does one
 * with another status than it has here. Codes are never renamed or reused, because clients decide by them.
 */
export const ERROR_CODES = {
  // requests that cannot be read or do not hold
  malformed_json: {
    status: 400,
    meaning: 'The body is not valid JSON in UTF-8.',
    remedy: 'Send the output of a JSON serializer, encoded as UTF-8.',
  },
  malformed_body: {
    status: 400,
    meaning: 'The body is announced as gzip but cannot be decompressed.',
    remedy: 'Compress the body again, or send it without `Content-Encoding`.',
  },
  malformed_multipart: {
    status: 400,
    meaning: 'The body is not a valid multipart form.',
    remedy: 'Let your HTTP client build the form and its boundary.',
  },
  payload_too_large: {
    status: 413,
    meaning: 'The body is larger than this operation accepts.',
    remedy: 'Send less in one request; `detail` gives the limit in bytes.',
  },
  form_too_large: {
    status: 413,
    meaning: 'The form of a sign-in page is too large.',
    remedy: 'Reload the page and submit it again.',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The operation does not read bodies of this media type or encoding.',
    remedy: 'Send JSON as `application/json`, files as `multipart/form-data`, plain or with `Content-Encoding: gzip`.',
  },
  validation_failed: {
    status: 422,
    meaning: 'At least one field or parameter is missing, mistyped or out of range.',
    remedy: 'Correct the fields that `errors` lists by `path`.',
  },
  group_cycle: {
    status: 422,
    meaning: 'The parent is the group itself or one of its descendants.',
    remedy: 'Choose a parent outside the group.',
  },
  file_unreadable: {
    status: 422,
    meaning: 'The uploaded file is no CSV or XLSX table, lacks a required column or has too many rows.',
    remedy: 'Start from `GET /api/v1/machines/import/template`; `detail` says what is wrong with the file.',
  },
  path_not_found: {
    status: 404,
    meaning: 'No operation has this path.',
    remedy: 'Compare the path with `GET /api/v1/openapi.json`.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  resource_not_found: {
    status: 404,
    meaning: 'The path id cannot name anything.',
    remedy: 'Take the id from the list that shows the resource.',
  },

  // who calls
  token_missing: {
    status: 401,
    meaning: 'The request carries no access token.',
    remedy: 'Sign in with `POST /api/v1/auth/login` and send `Authorization: Bearer <access token>`.',
  },
  token_invalid: {
    status: 401,
    meaning: 'The access token is invalid, expired, or its session has ended.',
    remedy: 'Call `POST /api/v1/auth/refresh` once and repeat the request; if that fails, sign in again.',
  },
  refresh_token_invalid: {
    status: 401,
    meaning: 'The refresh cookie is missing, expired, or was used before.',
    remedy: 'Sign in again.',
  },
  refresh_token_used: {
    status: 401,
    meaning: 'Another request used the refresh cookie a moment ago.',
    remedy: 'Repeat the request with the cookie that the other answer set.',
  },
  api_key_missing: {
    status: 401,
    meaning: 'The operation needs an API key and the request carries none.',
    remedy: 'Send the key in the `X-API-Key` header.',
  },
  api_key_invalid: {
    status: 401,
    meaning: 'The API key is unknown or revoked.',
    remedy: 'Have an admin create a key with `POST /api/v1/api-keys`.',
  },
  login_failed: {
    status: 401,
    meaning: 'The e-mail address or the password is wrong.',
    remedy: 'Try again, or reset the password with `POST /api/v1/auth/password-reset`.',
  },
  mfa_code_wrong: {
    status: [401, 403, 422],
    meaning: 'The code is wrong, was used before, or is too old.',
    remedy: 'Enter the code that the authenticator shows now, or an unused recovery code.',
  },
  mfa_token_invalid: {
    status: 401,
    meaning: 'The pending token of a sign-in has expired or was used.',
    remedy: 'Sign in again with `POST /api/v1/auth/login`.',
  },
  link_invalid: {
    status: 401,
    meaning: 'The link of an invitation or a password reset was used, has expired, or was replaced by a newer one.',
    remedy: 'Request a new link.',
  },
  sso_state_invalid: {
    status: 401,
    meaning: 'The sign-in through the identity provider has expired, was finished already, or began in another browser.',
    remedy: 'Begin again with `GET /api/v1/auth/sso/check`.',
  },
  sso_failed: {
    status: 401,
    meaning: 'The identity provider did not confirm who the user is.',
    remedy: 'Begin again; if it fails again, check the configuration at the provider.',
  },
  sso_code_invalid: {
    status: 401,
    meaning: 'The one-time code of the SSO callback has expired or was used.',
    remedy: 'Begin again with `GET /api/v1/auth/sso/check`.',
  },
  role_insufficient: {
    status: 403,
    meaning: 'Your role does not permit this operation.',
    remedy: 'Ask an admin to make the change or to raise your role.',
  },
  api_key_not_allowed: {
    status: 403,
    meaning: 'API keys only send data in; this operation needs a signed-in user.',
    remedy: 'Sign in and send an access token instead of the key.',
  },
  password_wrong: {
    status: 403,
    meaning: 'The current password is wrong, or another request changed it meanwhile.',
    remedy: 'Enter the current password again.',
  },
  password_not_set: {
    status: 403,
    meaning: 'The account signs in through SSO and has no password.',
    remedy: 'Set a password with `POST /api/v1/auth/password-reset`.',
  },
  user_deactivated: {
    status: 403,
    meaning: 'The account was deactivated.',
    remedy: 'Ask an admin of your tenant to reactivate it.',
  },
  email_not_verified: {
    status: 403,
    meaning: 'The identity provider has not verified the e-mail address.',
    remedy: 'Verify the address at the provider, then sign in again.',
  },
  email_domain_not_allowed: {
    status: 403,
    meaning: 'The e-mail address is outside the domain of the SSO configuration.',
    remedy: 'Sign in with an address of the configured domain.',
  },
  email_of_other_tenant: {
    status: 403,
    meaning: 'The e-mail address has an account in another tenant of this hub.',
    remedy: 'Sign in there, or use another address.',
  },

  // what is not there
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

  // states and limits that stand against it
  registration_closed: {
    status: 403,
    meaning: 'The hub does not let anybody create a tenant.',
    remedy: 'Ask the operator of the hub for a tenant, or a colleague for an invitation.',
  },
  sending_limit: {
    status: 429,
    meaning: 'So many invitations or channel tests were sent that the hub sends no more of them for a while.',
    remedy: 'Repeat the request after the seconds in `Retry-After`.',
  },
  email_taken: {
    status: 409,
    meaning: 'Another account on this hub has the e-mail address.',
    remedy: 'Use another address, or sign in with that account.',
  },
  user_gone: {
    status: 409,
    meaning: 'The account of the link no longer exists or was deactivated.',
    remedy: 'Ask an admin for a new invitation.',
  },
  own_account: {
    status: 409,
    meaning: 'Nobody can deactivate the own account.',
    remedy: 'Ask another admin.',
  },
  last_admin: {
    status: 409,
    meaning: 'The tenant would be left without an active admin.',
    remedy: 'Make another user an admin first.',
  },
  role_name_taken: {
    status: 409,
    meaning: 'Another role of the tenant has this name.',
    remedy: 'Choose another name.',
  },
  too_many_roles: {
    status: 409,
    meaning: 'The tenant has as many roles as it may have.',
    remedy: 'Delete a role that has no members.',
  },
  role_builtin: {
    status: 409,
    meaning: 'Built-in roles cannot be renamed or deleted.',
    remedy: 'Create a custom role with `POST /api/v1/settings/roles`.',
  },
  role_in_use: {
    status: 409,
    meaning: 'At least one user has the role, deactivated users included.',
    remedy: 'Give these users another role first.',
  },
  mfa_enabled: {
    status: 409,
    meaning: 'Two-factor sign-in is on already.',
    remedy: 'Switch it off with `POST /api/v1/auth/mfa/disable` before you set it up again.',
  },
  mfa_not_set_up: {
    status: 409,
    meaning: 'Two-factor sign-in was not set up.',
    remedy: 'Call `POST /api/v1/auth/mfa/setup` first.',
  },
  mfa_disabled: {
    status: 409,
    meaning: 'Two-factor sign-in is off already.',
    remedy: 'Nothing is left to do.',
  },
  domain_unproven: {
    status: 409,
    meaning: 'The DNS of the domain does not hold the record that proves the domain to be yours.',
    remedy:
      'Publish the TXT record that `domain_challenge` of the configuration names, wait until it is visible, and repeat the request.',
  },
  dns_unavailable: {
    status: 503,
    meaning: 'The DNS does not answer the hub.',
    remedy: 'Repeat the request after the seconds in `Retry-After`.',
  },
  domain_taken: {
    status: 409,
    meaning: 'Another tenant signs in with this domain.',
    remedy: 'Ask the operator of the hub to release the domain.',
  },
  sso_config_exists: {
    status: 409,
    meaning: 'The tenant has an SSO configuration already.',
    remedy: 'Change it with PATCH, or delete it first.',
  },
  machine_identifier_taken: {
    status: 409,
    meaning: 'Another machine of the tenant, perhaps a deactivated one, has this identifier.',
    remedy: 'Choose another identifier, or reactivate that machine with `is_active: true`.',
  },
  too_many_groups: {
    status: 409,
    meaning: 'The tenant has as many machine groups as it may have.',
    remedy: 'Delete groups that are not needed.',
  },
  too_many_mappings: {
    status: 409,
    meaning: 'The machine has as many tag mappings as it may have.',
    remedy: 'Correct existing mappings instead of adding tags.',
  },
  too_many_sources: {
    status: 409,
    meaning: 'The tenant or the edge agent has as many polling sources as it may have.',
    remedy: 'Delete a source, or let another agent poll this one; `detail` names the limit.',
  },
  alert_already_acknowledged: {
    status: 409,
    meaning: 'Somebody has acknowledged the alert already.',
    remedy: 'Nothing is left to do; read the alert to see who it was.',
  },
  too_many_comments: {
    status: 409,
    meaning: 'The alert has as many comments as it may have.',
    remedy: 'Continue the discussion elsewhere.',
  },
  channel_in_use: {
    status: 409,
    meaning: 'An escalation policy uses the channel.',
    remedy: 'Give that policy another channel, or delete it first.',
  },
  agent_id_in_use: {
    status: 409,
    meaning: 'Another live agent reports under this `agent_id`.',
    remedy: 'Give this agent an id of its own, or stop the other and wait for two heartbeat intervals.',
  },

  // too much, or not now
  rate_limited: {
    status: 429,
    meaning: 'The caller has used up the requests of this rate limit bucket for the last minute.',
    remedy: 'Wait `retry_after` seconds.',
  },
  login_locked: {
    status: 429,
    meaning: 'Too many failed attempts locked the account or the address.',
    remedy: 'Wait `retry_after` seconds; further attempts do not help.',
  },
  too_many_streams: {
    status: 429,
    meaning: 'The user or the tenant has as many live streams open as one replica serves.',
    remedy: 'End a stream, then connect again.',
  },
  tests_under_way: {
    status: 429,
    meaning: 'The tenant runs as many connection tests at once as it may.',
    remedy: 'Wait `retry_after` seconds.',
  },
  internal_error: {
    status: 500,
    meaning: 'The hub failed; the fault is in its log.',
    remedy: 'Report it to the operator of the hub with the `request_id`.',
  },
  hub_busy: {
    status: 503,
    meaning: 'The hub works on as many requests as it can.',
    remedy: 'Repeat the request after the seconds in `Retry-After`.',
  },
  hub_stopping: {
    status: 503,
    meaning: 'This replica of the hub is stopping.',
    remedy: 'Connect again after the seconds in `Retry-After`; another replica answers.',
  },
  request_timeout: {
    status: 503,
    meaning: 'The hub could not answer in time; whether the change was made is unknown.',
    remedy: 'Read the current state, then repeat the request if it is still needed.',
  },
  database_away: {
    status: 503,
    meaning: 'The database is not reachable.',
    remedy: 'Repeat the request after the seconds in `Retry-After`.',
  },
  database_full: {
    status: 503,
    meaning: 'The database has no space left.',
    remedy: 'Ask the operator of the hub to free or add disk space.',
  },
  database_busy: {
    status: 503,
    meaning: 'Another change holds the data for longer than the hub waits.',
    remedy: 'Repeat the request after the seconds in `Retry-After`.',
  },
  busy: {
    status: 503,
    meaning: 'Too many people are signing in or changing passwords at once.',
    remedy: 'Repeat the request after the seconds in `Retry-After`.',
  },
  tenant_busy: {
    status: 503,
    meaning: 'The tenant has as many readings waiting to be stored as it may have.',
    remedy: 'Send the same readings again after the seconds in `Retry-After`.',
  },
  ingest_busy: {
    status: 503,
    meaning: 'The hub has as many readings waiting to be stored as it can hold.',
    remedy: 'Send the same readings again after the seconds in `Retry-After`.',
  },
  import_busy: {
    status: 503,
    meaning: 'The hub reads as many import files as it can.',
    remedy: 'Send the file again after the seconds in `Retry-After`.',
  },
  import_timeout: {
    status: 503,
    meaning: 'The hub could not read the import file in time; no machine was created.',
    remedy: 'Send the file again, or split it.',
  },
  backtests_waiting: {
    status: 503,
    meaning: 'Several back-tests of the tenant are running or waiting.',
    remedy: 'Repeat the request when they have finished.',
  },
  streams_full: {
    status: 503,
    meaning: 'This replica serves as many live streams as it can.',
    remedy: 'Connect again after the seconds in `Retry-After`.',
  },
  sso_provider_away: {
    status: 503,
    meaning: 'The identity provider is unreachable or too slow.',
    remedy: 'Try again later, or sign in with a password.',
  },
  web_push_disabled: {
    status: 503,
    meaning: 'Web push is switched off on this hub.',
    remedy: 'Use another notification channel.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERROR_CODES
type StatusOf<Code extends ErrorCode> = (typeof ERROR_CODES)[Code]['status'] extends infer S
  ? S extends readonly (infer One)[]
    ? One
    : S
  : never

export type RefusalStatus = StatusOf<ErrorCode>
/** The codes that can be answered with a status. */
export type CodeOf<Status> = { [Code in ErrorCode]: Status extends StatusOf<Code> ? Code : never }[ErrorCode]

type Spaced<Text extends string> = Text extends `${infer A}_${infer B}` ? `${A} ${Spaced<B>}` : Text
type Named<Code> = Code extends `${infer Thing}_not_found` ? Spaced<Thing> : never
/** What a 404 can be about: `machine group` stands for `machine_group_not_found`. */
export type Thing = Named<ErrorCode>
