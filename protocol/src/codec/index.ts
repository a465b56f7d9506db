export * from './batch-codec.ts'
export * from './batch-error.ts'
export type { KnownSeries, SeriesMemory } from './series-table.ts'
