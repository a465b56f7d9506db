export type {} from './collector.ts'
