export {
  type ConcernedRule,
  type ConditionKey,
  clearConditions,
  lockRulesAlone,
  lockRulesShared,
  makeConditions,
  OUT_OF_DATE,
  saveConditions,
} from './conditions.ts'
export { type Condition, evaluate, lateReadings } from './evaluate.ts'
export { lateAnchors, NEIGHBOURS, openExcursions, piecesOf, type Surroundings } from './late.ts'
export type { Point } from './level.ts'
export { ruleRoutes } from './routes.ts'
