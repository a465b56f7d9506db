export { tagMappingRoutes } from './routes.ts'
