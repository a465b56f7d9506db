export type { CheckResult, ErpSession } from './provider.ts'
export { configKeys, providerOf } from './registry.ts'
