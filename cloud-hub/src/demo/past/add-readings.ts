import { plantPast } from '@haltless/edge-agent/plant'
import { submissionFromBatch } from '../../features/telemetry/ingest/index.ts'
import { MINUTE_MS, type Past } from './open-past.ts'

const SEED = 2_026
/** An alert of the past ends with its portion, so this is how exactly. */
const PORTION_MS = 30 * MINUTE_MS

/** Ingests what the plant would have sent. Rules are evaluated as on every day, so alerts and stops follow from it. */
export async function addReadings(past: Past, tenantId: string): Promise<void> {
  let sent: Promise<unknown> = Promise.resolve()
  for (const { until, columns } of plantPast(SEED, { ...past, portionMs: PORTION_MS })) {
    // the plant computes a portion while PostgreSQL stores the one before
    await sent
    past.goTo(until)
    sent = past.ingest.acceptReadings(tenantId, submissionFromBatch(columns, until))
  }
  await sent
}
