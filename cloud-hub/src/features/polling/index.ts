export { pollingRoutes } from './routes.ts'
