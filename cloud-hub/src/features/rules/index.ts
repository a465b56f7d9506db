export { type ConcernedRule, clearConditions, lockConcernedRules, lockRulesShared, saveConditions } from './conditions.ts'
export { type Condition, evaluate, lateCrossings, type Point } from './evaluate.ts'
export { ruleRoutes } from './routes.ts'
