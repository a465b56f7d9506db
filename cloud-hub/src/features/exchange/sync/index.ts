export { ErpRunner } from './erp-runner.ts'
export { exchangeFigures } from './figures.ts'
export { purgeExchange } from './purge.ts'
export { startSync } from './start-sync.ts'
