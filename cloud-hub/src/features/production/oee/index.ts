export { recomputeForAnswer, sumsOfWeights } from './comparison.ts'
export { occurrencesIn } from './occurrences.ts'
export { type OeeDeps, recomputeOee } from './recompute.ts'
export { oeeRoutes } from './routes.ts'
