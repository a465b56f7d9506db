export { escalateDue } from './escalate.ts'
export { escalationRoutes } from './routes.ts'
