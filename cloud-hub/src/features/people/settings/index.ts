export { lockTenant } from './preferences.ts'
export { settingsRoutes } from './routes.ts'
export { Locale, Phone } from './schemas.ts'
