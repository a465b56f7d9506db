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
export { type Condition, evaluate, lateCrossings, type Point } from './evaluate.ts'
export { ruleRoutes } from './routes.ts'
