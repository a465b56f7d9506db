export { startSync } from './start-sync.ts'
