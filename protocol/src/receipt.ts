import { z } from 'zod'

/** Why one reading of a batch was not stored. `index` counts in batch order; `error` is a sentence, `code` is stable. */
export const Rejection = z.object({
  index: z.int().min(0),
  machine_identifier: z.string().nullable(),
  code: z.string(),
  error: z.string(),
})
export type Rejection = z.infer<typeof Rejection>

/** The body of a 207 from `POST /api/v1/ingest`. Accepted readings are on the hub's disk, with the alerts and deliveries they caused. */
export const IngestResult = z.object({
  accepted_count: z.int().min(0),
  rejected_count: z.int().min(0),
  errors: z.array(Rejection),
})
export type IngestResult = z.infer<typeof IngestResult>

/**
 * What the hub answers to a batch on the `receipts` topic, after PostgreSQL has committed. Only a receipt lets the agent let go.
 * `refused` says that the batch as a whole could not be read (damaged, or a version this hub does not know): sending it again is
 * useless, the agent parks it. A hub that could not store sends no receipt, and the agent sends the batch again.
 */
export const Receipt = IngestResult.extend({
  batch_id: z.guid(),
  refused: z.object({ code: z.string(), detail: z.string() }).optional(),
})
export type Receipt = z.infer<typeof Receipt>
