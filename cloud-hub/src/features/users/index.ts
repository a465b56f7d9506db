export { type Origin, requestPasswordReset, setPasswordByToken } from './invitations.ts'
export { userRoutes } from './routes.ts'
