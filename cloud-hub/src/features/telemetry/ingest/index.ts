export { type Ingest, IngestQueue } from './accept.ts'
export { type FlushDeps, Flusher } from './flush.ts'
export { ingestRoutes } from './routes.ts'
export { submissionFromBatch } from './submission.ts'
