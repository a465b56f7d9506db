export { mountSsoPage } from './page.ts'
export { ssoRoutes } from './routes.ts'
