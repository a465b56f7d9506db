export { runAutomaticLogs } from './automatic-logs.ts'
export { presentLog } from './present.ts'
export { SHIFT_LOG_COLUMNS, type ShiftLogRow } from './repository.ts'
export { shiftRoutes } from './routes.ts'
