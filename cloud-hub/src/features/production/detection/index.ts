export { detectDowntime } from './detect-downtime.ts'
export { detectionRoutes } from './routes.ts'
