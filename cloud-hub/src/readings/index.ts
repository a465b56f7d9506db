export { type Baseline, evaluateSpan } from './anomalies/excursions.ts'
export type { Claimed } from './claim.ts'
export type { Columns } from './codec/columns.ts'
export { purgeAnomalies } from './housekeeping.ts'
export { SHARING_MACHINES } from './insert-readings.ts'
export { KEY_WORDS, writeKey } from './keys/key-words.ts'
export { purgeKeys } from './keys/purge-keys.ts'
export { sealKeys } from './keys/seal-keys.ts'
export { type KeyUse, StoredKeys } from './keys/stored-keys.ts'
export type { TenantKeys } from './keys/tenant-keys.ts'
export { indexOfPlace, isAnomalousAt, newestAt, rowOfPlace } from './latest/entries.ts'
export {
  latestOfMachines,
  latestOfMetrics,
  latestWritten,
  newestByMachine,
  newestOfMachine,
  newestOfTenant,
  nextLatestRows,
  type WrittenReading,
} from './latest/readers.ts'
export { extendLatest, type LatestEntry, type LatestKey, type LatestRow, latestKey, loadLatestRows } from './latest/rows.ts'
export { applySaved, type SavedLatest } from './latest/save.ts'
export { firstReadingOf } from './query/first-reading.ts'
export type { Bucket, Total } from './query/statistics.ts'
export { dayRanges, maxPointsOf } from './query/stored-days.ts'
export type { WalkedReading } from './query/walk.ts'
export type { Range } from './range.ts'
export { SealHints } from './seal/seal-hints.ts'
export { Sealer } from './seal/sealer.ts'
export { newestStored, type SeriesSpan, type SortedReadings } from './sorted-readings.ts'
export { packedStore, type ReadingStore, type StoredSeries } from './store.ts'
