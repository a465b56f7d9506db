import type { TenantScope } from '../../../db/scope.ts'
import type { ReadingStore, StoredSeries } from '../../../readings/index.ts'
import { NotFound } from '../../../support/errors.ts'
import { prefersCsv } from '../../../support/http/csv.ts'
import { resolveRange } from '../../../support/http/range.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { sharedReadRoute } from '../../people/accounts/index.ts'
import { MachineParams } from '../../plant/machines/index.ts'
import { streamResponse } from './answer.ts'
import { isoTimes } from './iso-time.ts'
import { readSeries } from './read-series.ts'
import { readTogether } from './read-together.ts'
import {
  INTERVAL_SECONDS,
  LatestResponse,
  MachineSeriesResponse,
  ReadingsQuery,
  SeriesListQuery,
  SeriesResponse,
  SummaryResponse,
} from './schemas.ts'
import { summarize } from './summary.ts'

const route = routeFor<TenantScope>()
const tag = 'Sensor data'
const DAY_MS = 86_400_000

/** @throws NotFound */
const seriesOfMachine =
  (store: ReadingStore) =>
  async (scope: TenantScope, { machine_id }: { machine_id: string }): Promise<StoredSeries[]> => {
    const series = await scope.read((tx) => store.seriesOf(tx, scope.tenantId, machine_id))
    if (!series) throw new NotFound('machine', machine_id)
    return series
  }

export const readingRoutes = (store: ReadingStore, requestSeconds: number) => [
  sharedReadRoute(
    {
      method: 'get',
      path: '/machines/{machine_id}/readings/latest',
      operation: 'listLatestReadings',
      access: 'any',
      tag,
      summary: 'The newest reading of each metric, by timestamp',
      description:
        'For each metric the reading with the newest timestamp, whenever it arrived. A metric that comes in several units shows the newest of them.',
      params: MachineParams,
      returns: LatestResponse,
    },
    (tx, tenantId, inputs) =>
      store.latest(
        tx,
        tenantId,
        inputs.map(({ params }) => params.machine_id),
      ),
    ({ params, found: rows }) => {
      if (!rows) throw new NotFound('machine', params.machine_id)
      const time = isoTimes()
      // ascending by timestamp within a metric, so that the newest one of several units overwrites the others
      const readings = Object.fromEntries(
        rows.map(({ metric, timestamp, value, unit, rawTag }) => [
          metric,
          { timestamp: time(timestamp.getTime()), value, unit, raw_tag: rawTag },
        ]),
      )
      return { machine_id: params.machine_id, readings }
    },
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/readings',
      operation: 'listReadings',
      access: 'any',
      tag,
      summary: 'Readings of a machine over time',
      description:
        'A series for each metric and unit, ascending, over at most 90 days. With `interval`: the mean of each bucket in UTC, the start of the bucket as `timestamp`, empty buckets absent. Without it: raw readings, at most 100,000. `Accept: text/csv` answers lines of `timestamp,metric_name,unit,value` instead; a name that a spreadsheet would take for a formula begins with an apostrophe there, a name with a separator such as `;` is quoted, and `timezone` and `bom` suit the file to a spreadsheet. Raw readings and means of minutes are deleted as the retention of the tenant says, means of hours stay.',
      params: MachineParams,
      query: ReadingsQuery,
      returns: z.array(SeriesResponse),
      media: {
        'text/csv': {
          description: 'Lines of timestamp, metric_name, unit and value.',
          example: 'timestamp,metric_name,unit,value\r\n2026-01-31T12:00:00.000Z,oil_temperature,celsius,61.5\r\n',
        },
      },
    },
    async ({ scope, params, query, found, caller, request: { signal } }) => {
      const { start, end } = resolveRange(scope.clock.now(), query, DAY_MS)
      const chunks = readSeries(scope, store, {
        series: query.metric === undefined ? found : found.filter(({ metric }) => metric === query.metric),
        start,
        end,
        bucketSeconds: query.interval && INTERVAL_SECONDS[query.interval],
      })
      const day = (at: Date) => at.toISOString().slice(0, 10)
      const csv = {
        timeZone: query.timezone,
        hasMark: query.bom ?? false,
        fileName: `readings-${params.machine_id}-${day(start)}-${day(end)}.csv`,
      }
      const csvOptions = prefersCsv(caller.headers.get('accept')) ? csv : null
      // a CSV file is a download, which may take longer
      const limitMs = csvOptions ? null : requestSeconds * 1_000
      return (await streamResponse(scope.tenantId, chunks, csvOptions, { signal, limitMs })) as never
    },
    seriesOfMachine(store),
  ),
  route(
    {
      method: 'get',
      path: '/readings/series',
      operation: 'listReadingSeries',
      access: 'any',
      tag,
      summary: 'Readings of several series of any machines over time',
      description:
        'As `GET /machines/{machine_id}/readings` answers them, of at most 8 series, all from one snapshot of the database: a point that one of them has is not too new for another. In the order of `series`; one without readings in the range is absent. At most 90 days, and 100,000 points of all series together.',
      query: SeriesListQuery,
      queryLists: ['series'],
      returns: z.array(MachineSeriesResponse),
      refuses: { 404: ['machine_not_found'] },
    },
    async ({ scope, query, request: { signal } }) => {
      const { start, end } = resolveRange(scope.clock.now(), query, DAY_MS)
      const bucketSeconds = query.interval && INTERVAL_SECONDS[query.interval]
      const chunks = readTogether(scope, store, { series: query.series, start, end, bucketSeconds })
      return (await streamResponse(scope.tenantId, chunks, null, { signal, limitMs: requestSeconds * 1_000 })) as never
    },
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/summary',
      operation: 'getMachineSummary',
      access: 'any',
      tag,
      summary: 'Minimum, maximum, mean and newest value of each metric',
      description:
        'Figures of each metric and unit over the last 24 hours, or from `start` to `end`, at most 90 days. They include how much of what was measured has been stored; `GET /machines/{machine_id}/data-gaps` lists what was lost.',
      params: MachineParams,
      query: ReadingsQuery.pick({ start: true, end: true }),
      returns: SummaryResponse,
    },
    async ({ scope, params, query, found }) =>
      summarize(scope, store, params.machine_id, found, resolveRange(scope.clock.now(), query, DAY_MS)),
    seriesOfMachine(store),
  ),
]
