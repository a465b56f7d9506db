export { type PollingDeps, startPolling } from './poller.ts'
export { pollingRoutes } from './routes.ts'
