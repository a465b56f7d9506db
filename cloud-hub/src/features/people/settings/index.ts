export { lockTenant } from './preferences.ts'
export { currentUnits, settingsRoutes } from './routes.ts'
export { Locale, Phone, UnitSettings } from './schemas.ts'
