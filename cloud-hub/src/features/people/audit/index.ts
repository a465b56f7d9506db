export { type EventActor, recordEvent, recordEventOfEach } from './record-event.ts'
export { Refusals } from './refusals.ts'
export { auditRoutes } from './routes.ts'
