export { openAlerts, type RaisedAlert, type Standing, shown, thresholdMessage } from './open-alerts.ts'
export { alertRoutes, presentAlert } from './routes.ts'
