import type { Submission } from './submission.ts'

/** The readings of one caller, from acceptance to the end of their flush. */
export interface IngestRequest {
  tenantId: string
  submission: Submission
}
