export { createTenant } from './invitations.ts'
export { userRoutes } from './routes.ts'
