export type { CheckResult } from './provider.ts'
export { configKeys, providerOf } from './registry.ts'
