import type { CodeOf, RefusalStatus } from '../../error-codes/index.ts'

/**
 * Who may call an operation: anyone (`none`), any signed-in user (`any`), a minimum role, an API key, an enrolment key, or the
 * holder of a refresh cookie. The server enforces this value, and the API document shows it.
 */
export type Access = 'none' | 'any' | 'operator' | 'admin' | 'key' | 'enrolment' | 'refresh'

/** Codes by status, as an operation declares those of its own. */
export type RefusalCodes = { readonly [Status in RefusalStatus]?: readonly CodeOf<Status>[] }
