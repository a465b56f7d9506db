export { Live } from './live.ts'
export { liveRoutes } from './routes.ts'
