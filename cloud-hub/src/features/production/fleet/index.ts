export { fleetRoutes } from './routes.ts'
