export { openAlerts, type RaisedAlert } from './open-alerts.ts'
export { alertRoutes } from './routes.ts'
