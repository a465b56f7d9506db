import { ERROR_CODES, type ErrorCode, type RefusalStatus } from '../../error-codes/index.ts'
import type { Access, RefusalCodes } from './access.ts'
import { IDEMPOTENCY_CODES, takesIdempotencyKey } from './idempotency.ts'
import type { Route } from './route.ts'

/** Why an access token of a program may not call an operation; the last five are those that no token may. */
const OF_TOKENS = [
  'token_scope_missing',
  'token_address_not_allowed',
  'token_outside_groups',
  'token_cannot_make_credentials',
  'token_cannot_manage_members',
  'token_cannot_change_security',
  'token_cannot_sign',
  'token_needs_person',
] as const

/** Sets of codes that many operations share; each set is one response component of the document. */
export const SHARED_REFUSALS = {
  Unreadable: { status: 400, codes: ['malformed_json', 'malformed_body'] },
  UnreadableForm: { status: 400, codes: ['malformed_multipart'] },
  SignInRequired: {
    status: 401,
    codes: ['token_missing', 'token_invalid', 'token_expired', 'token_revoked', 'token_owner_inactive', 'api_key_invalid'],
  },
  ApiKeyRequired: { status: 401, codes: ['api_key_missing', 'api_key_invalid'] },
  EnrolmentKeyRequired: {
    status: 401,
    codes: ['enrolment_key_missing', 'enrolment_key_invalid', 'enrolment_key_used', 'enrolment_key_expired'],
  },
  RefreshCookieRequired: { status: 401, codes: ['refresh_token_invalid', 'refresh_token_used'] },
  UserRequired: { status: 403, codes: ['api_key_not_allowed', ...OF_TOKENS] },
  MfaRequired: { status: 403, codes: ['api_key_not_allowed', 'mfa_setup_required', ...OF_TOKENS] },
  HigherRoleRequired: { status: 403, codes: ['api_key_not_allowed', 'mfa_setup_required', 'role_insufficient', ...OF_TOKENS] },
  TooLarge: { status: 413, codes: ['payload_too_large'] },
  WrongMediaType: { status: 415, codes: ['unsupported_media_type'] },
  Invalid: { status: 422, codes: ['validation_failed'] },
  RateLimited: { status: 429, codes: ['rate_limited'] },
  Failed: { status: 500, codes: ['internal_error'] },
  Unavailable: { status: 503, codes: ['hub_busy', 'request_timeout', 'database_away', 'database_full', 'database_busy'] },
} as const satisfies Record<string, { status: RefusalStatus; codes: readonly ErrorCode[] }>
export type SharedRefusal = keyof typeof SHARED_REFUSALS

const OF_ACCESS: Record<Access, readonly SharedRefusal[]> = {
  none: [],
  any: ['SignInRequired', 'MfaRequired'],
  operator: ['SignInRequired', 'HigherRoleRequired'],
  admin: ['SignInRequired', 'HigherRoleRequired'],
  key: ['ApiKeyRequired'],
  enrolment: ['EnrolmentKeyRequired'],
  refresh: ['RefreshCookieRequired'],
}

/** The refusal for a malformed path id, taken from the message of its shape. */
function missingThings({ spec }: Route): ErrorCode[] {
  if (!spec.params) return []
  const names = Object.keys((spec.params as { shape: object }).shape)
  const issues = spec.params.safeParse(Object.fromEntries(names.map((name) => [name, ''])))?.error?.issues ?? []
  const codes = (issues as { message: string }[]).map(
    ({ message }) => `${(/^no such (.+)$/.exec(message)?.[1] ?? 'resource').replaceAll(' ', '_')}_not_found`,
  )
  return codes.filter((code): code is ErrorCode => code in ERROR_CODES)
}

export interface StatusRefusals {
  status: RefusalStatus
  shared: SharedRefusal | null
  /** all codes of the status, the shared ones included */
  codes: readonly ErrorCode[]
}

/** Every refusal that an operation can answer, ascending by status. */
export function refusalsOf(route: Route): StatusRefusals[] {
  const { spec } = route
  const ofAccess = OF_ACCESS[spec.access].map((name) => (name === 'MfaRequired' && spec.worksWithoutMfa ? 'UserRequired' : name))
  const shared: SharedRefusal[] = [...ofAccess, 'RateLimited', 'Failed', 'Unavailable']
  if (spec.body) shared.push('Unreadable')
  if (spec.upload) shared.push('UnreadableForm')
  if (spec.body || spec.upload) shared.push('TooLarge', 'WrongMediaType')
  if (spec.body || spec.upload || spec.query) shared.push('Invalid')
  const found = new Map<RefusalStatus, StatusRefusals>()
  for (const name of shared) found.set(SHARED_REFUSALS[name].status, { ...SHARED_REFUSALS[name], shared: name })
  const own = Object.entries((spec.refuses ?? {}) as RefusalCodes) as unknown as [string, readonly ErrorCode[]][]
  const conditional: [string, readonly ErrorCode[]][] = spec.changes ? [['412', ['changed_meanwhile']]] : []
  const keyed = takesIdempotencyKey(spec) ? IDEMPOTENCY_CODES : []
  for (const [status, codes] of [['404', missingThings(route)] as const, ...conditional, ...own, ...keyed]) {
    const before = found.get(Number(status) as RefusalStatus)
    const all = [...new Set([...(before?.codes ?? []), ...codes])]
    if (all.length > (before?.codes.length ?? 0))
      found.set(Number(status) as RefusalStatus, { status: Number(status) as RefusalStatus, shared: null, codes: all })
  }
  return [...found.values()].sort((a, b) => a.status - b.status)
}
