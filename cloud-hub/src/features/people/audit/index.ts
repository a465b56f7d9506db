export { type EventActor, recordEvent } from './record-event.ts'
export { Refusals } from './refusals.ts'
export { auditRoutes } from './routes.ts'
