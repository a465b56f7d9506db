export { liveRoutes } from './routes.ts'
export { createLive, type Live } from './streams.ts'
