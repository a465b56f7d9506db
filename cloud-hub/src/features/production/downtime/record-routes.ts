import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import { CSV_LIST, csvAnswer, MAX_CSV_ROWS, requireCsvRows, wantsCsv } from '../../../support/http/csv.ts'
import { cursorPage, listPartOf } from '../../../support/http/cursor.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { findMachine, MachineParams } from '../../plant/machines/index.ts'
import { changeRecord, createRecord, endRecord } from './change-record.ts'
import { hasCursors, listFleetDowntime } from './fleet-list.ts'
import { presentRecord } from './present.ts'
import { findRecord, listRecords, lockRecord } from './repository.ts'
import {
  FleetDowntimeQuery,
  MachineRecordsQuery,
  RecordBody,
  RecordCreate,
  RecordMerge,
  RecordPage,
  RecordParams,
  RecordPut,
  RecordSplit,
} from './schemas.ts'
import { mergeRecords, splitRecord } from './split-merge.ts'

const route = routeFor<TenantScope>()
const tag = 'Downtime and reason codes'

export const recordRoutes = () => [
  route(
    {
      method: 'post',
      path: '/machines/{machine_id}/downtime',
      operation: 'createDowntime',
      access: 'operator',
      tag,
      summary: 'Record downtime of a machine',
      description:
        'Without `ended_at` the downtime is ongoing; a machine has at most one ongoing record. Records may overlap: figures count each minute once.',
      params: MachineParams,
      body: RecordCreate,
      returns: RecordBody,
      creates: true,
      refuses: { 404: ['reason_code_not_found'], 409: ['downtime_ongoing'] },
    },
    async ({ scope, params, body }) => presentRecord(await createRecord(scope, params.machine_id, body)),
    findMachine,
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/downtime',
      operation: 'listMachineDowntime',
      access: 'any',
      tag,
      summary: 'Downtime of a machine, newest first',
      description: 'A page of the records of the machine, by their start. A page beyond the end is empty.',
      params: MachineParams,
      query: MachineRecordsQuery,
      returns: z.array(RecordBody),
    },
    async ({ scope, params, query }) =>
      (await listRecords(scope, params.machine_id, { page: query.page, size: query.page_size })).map(presentRecord),
    findMachine,
  ),
  route(
    {
      method: 'put',
      path: '/machines/{machine_id}/downtime/{record_id}',
      operation: 'updateDowntime',
      access: 'operator',
      tag,
      summary: 'Correct or classify a record; what is not named stays',
      description:
        'An end completes an ongoing record. The first change of an automatic record sets `edited_at`; automatic detection then leaves it as it is, and only ends it when the machine runs again.',
      params: RecordParams,
      body: RecordPut,
      changes: { lock: lockRecord, current: async (scope, params) => presentRecord(await findRecord(scope, params)) },
      returns: RecordBody,
      refuses: { 404: ['reason_code_not_found'] },
    },
    async ({ scope, params, body }) => presentRecord(await changeRecord(scope, params, body)),
    findRecord,
  ),
  route(
    {
      method: 'post',
      path: '/machines/{machine_id}/downtime/{record_id}/end',
      operation: 'endDowntime',
      access: 'operator',
      tag,
      summary: 'End an ongoing downtime now',
      description: '`ended_at` becomes now. A record that has ended is refused; correct its end with PUT.',
      params: RecordParams,
      returns: RecordBody,
      status: 200,
      refuses: { 409: ['downtime_ended'] },
    },
    async ({ scope, params }) => presentRecord(await endRecord(scope, params)),
  ),
  route(
    {
      method: 'post',
      path: '/machines/{machine_id}/downtime/{record_id}/split',
      operation: 'splitDowntime',
      access: 'operator',
      tag,
      summary: 'Split a record in two',
      description:
        'The record ends at `at`, and a second one begins there with the end of the first; both are answered. The second part has the reason given, or that of the first. So one stop can have two reasons.',
      params: RecordParams,
      body: RecordSplit,
      returns: z.array(RecordBody),
      creates: true,
      refuses: { 404: ['reason_code_not_found'] },
    },
    async ({ scope, params, body }) => (await splitRecord(scope, params, body)).map(presentRecord),
    findRecord,
  ),
  route(
    {
      method: 'post',
      path: '/machines/{machine_id}/downtime/{record_id}/merge',
      operation: 'mergeDowntime',
      access: 'operator',
      tag,
      summary: 'Join records of a machine',
      description:
        'The record of the path keeps its id and reason, and covers the time from the earliest start to the latest end; the others are deleted. Records that overlap or adjoin can be joined, also across uptime of up to 5 minutes.',
      params: RecordParams,
      body: RecordMerge,
      returns: RecordBody,
      status: 200,
      refuses: { 404: ['downtime_record_not_found'], 409: ['downtime_gap'] },
    },
    async ({ scope, params, body }) => presentRecord(await mergeRecords(scope, params, body)),
    findRecord,
  ),
  route(
    {
      method: 'get',
      path: '/fleet/downtime',
      operation: 'listFleetDowntime',
      access: 'any',
      tag,
      summary: 'Downtime of all machines',
      description:
        'Pages of records, those that started last first unless `sort_by` says otherwise. A filter by an unknown id answers an empty list.',
      query: FleetDowntimeQuery,
      returns: RecordPage,
      media: CSV_LIST,
    },
    async ({ scope, query, caller }) => {
      if (query.date_from && query.date_to && query.date_to <= query.date_from)
        throw new Unprocessable([fieldError('query.date_to', 'not_after', { other: 'date_from' })])
      if (wantsCsv(caller.headers, query)) {
        const all = { limit: MAX_CSV_ROWS, offset: 0, after: null, total: null }
        requireCsvRows((await listFleetDowntime(scope, query, { ...all, limit: 1 })).total, 'date_from')
        const { items } = await listFleetDowntime(scope, query, all)
        return (await csvAnswer(items.map(presentRecord), RecordBody, 'downtime')) as never
      }
      if (query.cursor !== undefined && !hasCursors(query))
        throw new Unprocessable([fieldError('query.cursor', 'exclusive', { other: `sort_by=${query.sort_by}` })])
      const part = listPartOf(['fleet-downtime', scope.tenantId], query)
      const { items, total } = await listFleetDowntime(scope, query, part)
      const page = cursorPage(part, items, total, (row) => ({
        at: query.sort_by === 'created_at' ? row.createdAt : row.startedAt,
        id: row.id,
      }))
      return { ...page, items: page.items.map(presentRecord), ...(hasCursors(query) ? {} : { next_cursor: null }) }
    },
  ),
]
