export { queueReports } from './queue-reports.ts'
