export { SMALL_SHARED_BUFFERS_MB, sharedBuffersMb } from './memory.ts'
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from './supervisor.ts'
