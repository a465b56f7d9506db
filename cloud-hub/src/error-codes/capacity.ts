import type { ErrorEntry } from './entry.ts'

/** Refusals of what is too much, or cannot be done now. */
export const CAPACITY_CODES = {
  downloads_busy: {
    status: 503,
    meaning: 'The hub sends as many archives to agents as it can at once.',
    remedy: 'Wait `Retry-After` seconds; agents do so by themselves.',
  },
  too_many_open: {
    status: 429,
    meaning: 'Too many answers outside `/api/v1` are unfinished for your address.',
    remedy: 'Read the answers to earlier requests, or close their connections.',
  },
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
  sending_limit: {
    status: 429,
    meaning:
      'So many invitations, notices of changed accounts, channel tests or tests of ERP connections were sent that the hub sends no more of them for a while.',
    remedy: 'Repeat the request after the seconds in `Retry-After`.',
  },
  too_many_idempotency_keys: {
    status: 429,
    meaning:
      'The user, or all tokens of the account together, have used a tenth of the idempotency keys of the tenant within 24 hours.',
    remedy:
      'Wait `retry_after` seconds, or send the request without a key; the operator can raise the limit `idempotency_keys` of the tenant.',
  },
  too_many_streams: {
    status: 429,
    meaning:
      'The user, the access token, the access tokens of the tenant together, or the tenant has as many live streams open as one replica serves.',
    remedy: 'End a stream, then connect again.',
  },
  narrative_limit: {
    status: 429,
    meaning: 'The tenant has requested as many narratives as it may in a minute.',
    remedy: 'Wait `retry_after` seconds; `GET /machines/{machine_id}/prediction` has the text too.',
  },
  agent_silent: {
    status: 503,
    meaning: 'The agent did not answer in time.',
    remedy: 'It must be connected over MQTT and have a version that can browse devices. Wait `retry_after` seconds.',
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
    meaning: 'Several back-tests of the tenant wait, or a back-test had no turn in 20 seconds.',
    remedy: 'Repeat the request when they have finished.',
  },
  certificates_waiting: {
    status: 503,
    meaning: 'The tenant waits for as many certificates as it may, or the certificate had no turn in 150 seconds.',
    remedy: 'Repeat the request after the seconds in `Retry-After`.',
  },
  certificate_under_way: {
    status: 503,
    meaning: 'The certificate has many pages and is being drawn. The hub keeps it for a quarter of an hour.',
    remedy: 'Repeat the request after the seconds in `Retry-After`.',
  },
  streams_full: {
    status: 503,
    meaning: 'This replica serves as many live streams as it can.',
    remedy: 'Connect again after the seconds in `Retry-After`.',
  },
  uploads_busy: {
    status: 503,
    meaning: 'The hub, or your tenant, receives as many uploads at once as it may.',
    remedy: 'Send the file again after the seconds in `Retry-After`.',
  },
  storage_full: {
    status: 503,
    meaning: 'The hub has no disk space left for files.',
    remedy: 'Ask the operator of the hub to free or add disk space.',
  },
  storage_away: {
    status: 503,
    meaning: 'The storage of attachments does not respond, or refuses the hub.',
    remedy: 'Repeat the request after the seconds in `Retry-After`; if it persists, ask the operator of the hub to run `doctor`.',
  },
  sso_provider_away: {
    status: 503,
    meaning: 'The identity provider is unreachable or too slow.',
    remedy: 'Try again later, or sign in with a password.',
  },
  dns_unavailable: {
    status: 503,
    meaning: 'The DNS does not answer the hub.',
    remedy: 'Repeat the request after the seconds in `Retry-After`.',
  },
  web_push_disabled: {
    status: 503,
    meaning: 'Web push is switched off on this hub.',
    remedy: 'Use another notification channel.',
  },
} as const satisfies Record<string, ErrorEntry>
