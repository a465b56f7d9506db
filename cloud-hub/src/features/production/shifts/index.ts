export { runAutomaticLogs } from './automatic-logs.ts'
export { presentLog } from './present.ts'
export { LOG_COLUMNS, type LogRow } from './repository.ts'
export { shiftRoutes } from './routes.ts'
