export { ErpRunner } from './erp-runner.ts'
export { purgeExchange } from './purge.ts'
export { startSync } from './start-sync.ts'
