export { presentComment } from './comment-routes.ts'
export { ALERT_COLUMNS, type AlertRow } from './repository.ts'
export { alertRoutes, presentAlert } from './routes.ts'
export { CommentBody, CommentCreate, CommentList } from './schemas.ts'
