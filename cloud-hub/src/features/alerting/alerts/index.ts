export { alertRoutes, presentAlert } from './routes.ts'
