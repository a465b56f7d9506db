export { exchangeCode } from './exchange-code.ts'
export { ssoRoutes } from './routes.ts'
