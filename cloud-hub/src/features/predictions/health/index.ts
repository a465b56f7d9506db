export { analyzeMachines, purgePredictions } from './analyze-machines.ts'
export { providerClient } from './narratives/index.ts'
export { predictionRoutes } from './routes.ts'
