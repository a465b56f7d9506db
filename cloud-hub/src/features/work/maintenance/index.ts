export { fillRecurrences } from './fill-recurrences.ts'
export { presentEvent } from './present.ts'
export { EVENT_COLUMNS, type MaintenanceEventRow } from './repository.ts'
export { maintenanceRoutes } from './routes.ts'
