export { recomputeBaselines } from './recompute.ts'
export { baselineRoutes } from './routes.ts'
