export const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]

/** When readings move, and how many at once. Tests set smaller numbers. */
export interface SealLimits {
  /** rows of arrivals of a group from which they are divided, and how many more may wait while there is other work */
  divideRows: number
  mostArrivals: number
  /** rows of arrivals that one transaction divides */
  arrivalPortion: number
  /** rows of a machine's tail from which they are compacted */
  compactRows: number
  /** readings of a series in finished hours from which they become a block */
  denseReadings: number
  /** readings of a machine's tail above which all of them become blocks */
  tailReadings: number
  /** rows and readings of a tail that one transaction decodes */
  portionRows: number
  portionReadings: number
  /** readings of existing blocks that one transaction rewrites */
  rewrittenReadings: number
}

export const SEAL_LIMITS: SealLimits = {
  divideRows: 32,
  mostArrivals: 96,
  arrivalPortion: 512,
  compactRows: 64,
  denseReadings: 512,
  tailReadings: 500_000,
  portionRows: 4_096,
  portionReadings: 1_000_000,
  rewrittenReadings: 2_000_000,
}

/** A machine with very many series reaches `tailReadings` before its series have enough readings for a block of their own. */
const READINGS_PER_SERIES = 256

export const tailLimit = (limits: SealLimits, seriesCount: number): number =>
  Math.max(limits.tailReadings, READINGS_PER_SERIES * seriesCount)

/** Readings arrive a little after their timestamps: hours and days count as over after this. */
const ARRIVAL_MS = 2 * MINUTE_MS
/** The blocks of a day are merged this long after the day's end. */
const MERGE_MS = 2 * HOUR_MS

const startOf = (unitMs: number, at: number) => Math.floor(at / unitMs) * unitMs

/** Readings before this instant are of finished hours. Unix ms, as all instants here. */
export const hoursEnd = (now: Date): number => startOf(HOUR_MS, now.getTime() - ARRIVAL_MS)
/** Readings before this instant are of finished days. */
export const daysEnd = (now: Date): number => startOf(DAY_MS, now.getTime() - ARRIVAL_MS)
/** Days before this instant are merged. */
export const mergeEnd = (now: Date): number => startOf(DAY_MS, now.getTime() - MERGE_MS)
/** The UTC day of an instant. */
export const dayOf = (at: number): number => startOf(DAY_MS, at)
