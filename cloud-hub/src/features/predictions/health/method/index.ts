export { type Assessment, assess, type Factor, type MachineFacts, riskOf, type SeriesFacts } from './assess.ts'
export { medianOf, type Points } from './points.ts'
