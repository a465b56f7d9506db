export * from './batch-codec.ts'
export * from './batch-error.ts'
