import type { Submission } from './submission.ts'

/** One caller's readings on their way into a flush. */
export interface Request {
  tenantId: string
  submission: Submission
}
