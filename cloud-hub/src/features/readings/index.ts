export { keepReadingsTidy } from './housekeeping.ts'
export { readingRoutes } from './routes.ts'
export { type ReadingStore, rowStore, type SeriesSpan, type SortedReadings } from './store.ts'
