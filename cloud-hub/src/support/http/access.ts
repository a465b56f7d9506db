import type { CodeOf, RefusalStatus } from '../error-codes/index.ts'

/**
 * Who may call an operation: nobody in particular (`none`), any signed-in user (`any`), a role or above, an API key, or the holder of
 * a refresh cookie. What stands here is what is enforced and what the API document says.
 */
export type Access = 'none' | 'any' | 'operator' | 'admin' | 'key' | 'refresh'

/** Codes by status, as an operation declares those of its own. */
export type Refusals = { readonly [Status in RefusalStatus]?: readonly CodeOf<Status>[] }
