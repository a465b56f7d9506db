export { unitPreferences } from './preferences.ts'
export { settingsRoutes } from './routes.ts'
export { Locale, Phone, UnitSettings } from './schemas.ts'
