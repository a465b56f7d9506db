export { backtestRoutes } from './backtest-routes.ts'
export {
  type ConcernedComposite,
  compositeColumns,
  concernedComposite,
  saveComposites,
  storedSamples,
} from './composite/conditions.ts'
export {
  type CompositeState,
  type CompositeVerdict,
  completeComposite,
  completionOf,
  evaluateComposite,
  holdsUntil,
  isInTurn,
  type Sample,
} from './composite/evaluate.ts'
export { judgeLateComposite, reachOf } from './composite/late.ts'
export { compositeRoutes } from './composite/routes.ts'
export {
  type ConcernedRule,
  type ConditionKey,
  clearConditions,
  makeConditions,
  OUT_OF_DATE,
  saveConditions,
} from './conditions.ts'
export { type Condition, evaluate, lateReadings } from './evaluate.ts'
export { lateAnchors, NEIGHBOURS, openExcursions, piecesOf, type Surroundings } from './late.ts'
export type { Point } from './level.ts'
export { ruleRoutes } from './routes.ts'
export { suggestionRoutes } from './suggestions/routes.ts'
