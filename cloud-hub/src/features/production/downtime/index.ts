export {
  downtimeMs,
  mtbfHours,
  mttrHours,
  type ReliabilitySums,
  selectDowntime,
  selectReliability,
  sumsOfReliability,
  uptimePercent,
} from './figures.ts'
export { presentRecord } from './present.ts'
export { RECORD_COLUMNS, type RecordRow } from './repository.ts'
export { downtimeRoutes } from './routes.ts'
