export { settingsRoutes } from './routes.ts'
export { Locale, Phone, Timezone } from './schemas.ts'
