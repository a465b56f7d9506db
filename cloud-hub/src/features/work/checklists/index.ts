export { checklistRoutes } from './routes.ts'
