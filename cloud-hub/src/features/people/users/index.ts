export { createTenant, type LinkDeps, requestPasswordReset, setPasswordByToken } from './invitations.ts'
export { userRoutes } from './routes.ts'
