export { translateUserError } from './change-user.ts'
export { createTenant } from './invitations.ts'
export { userRoutes } from './routes.ts'
