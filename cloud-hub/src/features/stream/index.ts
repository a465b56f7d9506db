export { bootstrapRoutes } from './bootstrap-routes.ts'
export { purgeDeletions } from './changes.ts'
export { Live } from './live.ts'
export { liveRoutes } from './routes.ts'
