export { exchangeCode, ssoRoutes } from './routes.ts'
