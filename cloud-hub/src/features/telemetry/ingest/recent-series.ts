import type { KnownSeries, Series, SeriesMemory } from '@haltless/protocol'
import { RecentMap } from '../../../support/recent-map.ts'

/**
 * Series in the tables of each kind. A series takes about 250 bytes.
 */
const MAX_SERIES = 400_000

const ofBatches = new RecentMap<KnownSeries>(MAX_SERIES, ({ series }) => series.length)
const ofRequests = new RecentMap<readonly Series[]>(MAX_SERIES, (series) => series.length)

/**
 * The series of the last batches of a tenant. A sender names the same series again and again: they are then the same array, whose names
 * are checked and looked up once.
 */
export const recentBatches = (tenantId: string): SeriesMemory => ({
  get: (key) => ofBatches.get(`${tenantId} ${key}`),
  set: (key, known) => ofBatches.set(`${tenantId} ${key}`, known),
})

/** The same for requests in JSON, by the series of their first reading and the number of readings. */
export const recentRequests = (tenantId: string) => ({
  get: (first: Series, count: number): readonly Series[] | undefined => ofRequests.get(requestKey(tenantId, first, count)),
  set: (series: readonly Series[], count: number): void => {
    const [first] = series
    if (first) ofRequests.set(requestKey(tenantId, first, count), series)
  },
})

const requestKey = (tenantId: string, { machine, metric, unit, rawTag }: Series, count: number): string =>
  [tenantId, count, machine, metric, unit, rawTag ?? ''].join('\0')
