export { NOT_TESTED } from './check-entities.ts'
export { type Asset, type CheckResult, type ErpSession, ErpUnavailable, type PushOutcome } from './provider.ts'
export { configKeys, configOf, providerOf } from './registry.ts'
