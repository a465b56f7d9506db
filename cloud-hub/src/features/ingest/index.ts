export { createIngest, type Ingest } from './accept.ts'
export { createFlush, type FlushDeps } from './flush.ts'
export { ingestRoutes } from './routes.ts'
export { fromBatch } from './submission.ts'
