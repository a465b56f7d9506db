export { tokenRoutes } from './routes.ts'
export { watchTokens } from './watch-tokens.ts'
