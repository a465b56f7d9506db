export { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from './supervisor.ts'
