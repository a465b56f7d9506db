export { openBrowseRequest } from './browse-source.ts'
export { SOURCES_CHANNEL, startPolling } from './poller.ts'
export { loadAgentSources, saveAgentReport } from './push.ts'
export { pollingRoutes } from './routes.ts'
