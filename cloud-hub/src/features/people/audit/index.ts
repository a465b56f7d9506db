export { type EventActor, noteEvent } from './note-event.ts'
export { auditRoutes } from './routes.ts'
