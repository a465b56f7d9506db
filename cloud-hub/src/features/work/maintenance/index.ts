export { fillRecurrences } from './fill-recurrences.ts'
export { presentEvent } from './present.ts'
export { maintenanceRoutes } from './routes.ts'
