import { z } from 'zod'

/** Why one reading of a batch was not stored. `index` counts in batch order; `error` is a sentence, `code` is stable. */
export const Rejection = z.object({
  index: z.int().min(0).describe('The place of the reading in the request, from 0.'),
  machine_identifier: z.string().nullable().describe('As sent; null when it was missing or no text.'),
  code: z.string().describe('Why it was rejected, for programs, such as `unknown_machine`. Stable.'),
  error: z.string().describe('Why it was rejected, as a sentence.'),
})
export type Rejection = z.infer<typeof Rejection>

/** The body of a 207 from `POST /api/v1/ingest`. Accepted readings are on the hub's disk, with the alerts and deliveries they caused. */
export const IngestResult = z.object({
  accepted_count: z.int().min(0).describe('Readings that are on disk, repeats included.'),
  rejected_count: z.int().min(0).describe('Readings that are not stored.'),
  errors: z.array(Rejection).describe('One entry for each rejected reading.'),
})
export type IngestResult = z.infer<typeof IngestResult>

/**
 * The hub's answer to a batch on the `receipts` topic, after PostgreSQL has committed. The agent deletes readings only by
 * receipt. `refused` means that the hub could not read the whole batch (damaged, or an unknown version): sending it again is
 * useless, and the agent parks it. A hub that could not store sends no receipt, and the agent sends the batch again.
 */
export const Receipt = IngestResult.extend({
  batch_id: z.guid(),
  refused: z.object({ code: z.string(), detail: z.string() }).optional(),
})
export type Receipt = z.infer<typeof Receipt>
