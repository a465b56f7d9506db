export { mountCalendars } from './mount.ts'
export { calendarRoutes } from './routes.ts'
