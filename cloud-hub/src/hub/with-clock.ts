import { type AppDeps, createApp } from '../app.ts'
import { Flusher, type Ingest, IngestQueue } from '../features/telemetry/ingest/index.ts'
import type { Clock } from '../support/clock.ts'

/** The operations and the ingest of a running hub, by another clock. */
export interface HubWithClock {
  /** calls an operation within this process */
  request(path: string, init: RequestInit): Promise<Response>
  ingest: Ingest
}

/**
 * The demonstration makes its past with the hub's own operations, at the instants at which they would have happened. Nothing is delivered
 * from this process at once: deliveries wait for the worker.
 */
export function hubWithClock(deps: AppDeps, clock: Clock): HubWithClock {
  const { config, pools, store, logger } = deps
  const { baselineIntervalSeconds, machineOfflineAfterSeconds } = config
  const flusher = new Flusher({
    ingest: pools.ingest,
    clock,
    store,
    baselineIntervalSeconds,
    machineOfflineAfterSeconds,
    worker: null,
  })
  const ingest = new IngestQueue(flusher, logger)
  const { app } = createApp({ ...deps, clock, ingest })
  return { request: async (path, init) => app.request(path, init), ingest }
}
