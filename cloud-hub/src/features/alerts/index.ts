export { openAlerts, type RaisedAlert } from './open-alerts.ts'
export { alertRoutes, presentAlert } from './routes.ts'
