export * from './collector.ts'
