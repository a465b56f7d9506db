export { certificateRoutes } from './routes.ts'
export { mountVerificationPage } from './verification-page.ts'
