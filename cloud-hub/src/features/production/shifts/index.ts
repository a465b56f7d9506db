export { runAutomaticLogs } from './automatic-logs.ts'
export { presentLog } from './present.ts'
export { LOG_FIELDS } from './repository.ts'
export { shiftRoutes } from './routes.ts'
