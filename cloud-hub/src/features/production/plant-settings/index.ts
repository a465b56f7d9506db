export { plantSettingsRoutes } from './routes.ts'
