export { CHANNEL, startPolling } from './poller.ts'
export { noteReport, sourcesOf } from './push.ts'
export { pollingRoutes } from './routes.ts'
