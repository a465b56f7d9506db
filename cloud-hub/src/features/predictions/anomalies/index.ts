export { anomalyRoutes } from './routes.ts'
