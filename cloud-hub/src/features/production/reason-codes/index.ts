export { loadReasonCode } from './manage-reason-code.ts'
export { reasonCodeRoutes } from './routes.ts'
export { EmbeddedReasonCode } from './schemas.ts'
