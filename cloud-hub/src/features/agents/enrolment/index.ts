export { purgeEnrolments } from './purge-enrolments.ts'
export { enrolmentRoutes } from './routes.ts'
