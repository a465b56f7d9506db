export { backtestRoutes } from './backtest-routes.ts'
export { compositeRoutes } from './composite/routes.ts'
export { ruleRoutes } from './routes.ts'
export { suggestionRoutes } from './suggestions/routes.ts'
