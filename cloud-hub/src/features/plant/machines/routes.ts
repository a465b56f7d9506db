import type { TenantScope } from '../../../db/scope.ts'
import { NotFound } from '../../../support/errors.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { sharedReadRoute } from '../../people/accounts/index.ts'
import { changeMachine, createMachine, deactivates, type MachineRules } from './change-machine.ts'
import { DETAIL_NAMES, DETAILS } from './details.ts'
import { importMachines } from './import/import-machines.ts'
import { COLUMNS, REQUIRED_COLUMNS } from './import/table.ts'
import * as repository from './repository.ts'
import {
  ImportAnswer,
  ImportQuery,
  MachineBody,
  MachineCreate,
  MachinePage,
  MachineParams,
  MachinePatch,
  MachineQuery,
} from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Machines and groups'
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
/** With the byte order mark that makes Excel read UTF-8. */
const TEMPLATE = [
  `\ufeff${COLUMNS.join()}`,
  ['Press 1', 'press-01', 'opc_ua', ...Object.values(DETAILS).map(({ example }) => example)].join(),
  ['Oven 2', 'oven-02', 'modbus_tcp', ...DETAIL_NAMES.map(() => '')].join(),
  '',
].join('\r\n')

/** The status is the hub's: a person's one stands until the next reading. */
const withVersion = versionedBy(MachinePatch, ['status'])
const presentMachine = (row: repository.MachineRow) =>
  withVersion({
    ...row,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  })

/** The machine of a path, active or not. @throws NotFound */
export async function findMachine(scope: TenantScope, { machine_id }: { machine_id: string }): Promise<repository.MachineRow> {
  const row = await scope.read((sql) => repository.find(sql, scope, machine_id))
  if (!row) throw new NotFound('machine', machine_id)
  return row
}

export const machineRoutes = (rules: MachineRules) => [
  route(
    {
      method: 'post',
      path: '/machines',
      operation: 'createMachine',
      access: 'operator',
      tag,
      summary: 'Create a machine',
      description:
        'The new machine is `offline` until its first reading. `machine_identifier` is what readings name it by; it is unique in the tenant, also against deactivated machines, and never changes.',
      body: MachineCreate,
      returns: MachineBody,
      creates: true,
      refuses: { 409: ['tenant_limit', 'machine_identifier_taken'] },
    },
    async ({ scope, body }) => presentMachine(await createMachine(scope, body)),
  ),
  sharedReadRoute(
    {
      method: 'get',
      path: '/machines',
      operation: 'listMachines',
      access: 'any',
      tag,
      summary: 'List machines',
      description:
        'Pages of machines, by name unless `sort_by` says otherwise. Only active machines, unless `is_active` widens it. A filter by an unknown group answers an empty list.',
      query: MachineQuery,
      returns: MachinePage,
    },
    (sql, tenantId, inputs) =>
      repository.list(
        sql,
        tenantId,
        inputs.map(({ query }) => query),
      ),
    ({ query, found: { items, total } }) => ({
      items: items.map(presentMachine),
      pagination: { total, page: query.page, page_size: query.page_size },
    }),
  ),
  route(
    {
      method: 'post',
      path: '/machines/import',
      operation: 'importMachines',
      access: 'operator',
      tag,
      summary: 'Create machines from a file',
      description: `CSV (comma, semicolon or tab; UTF-8, UTF-16 or Windows-1252) or XLSX, at most 500 rows. The first line names the columns ${code(REQUIRED_COLUMNS)} and, optionally, ${code(DETAIL_NAMES)}. A bad row is reported with its reason and stops no other; of two rows with one identifier the first wins. \`dry_run=true\` reports all of that and creates nothing. \`GET /machines/import/template\` is a file to start from.`,
      upload: {
        field: 'file',
        maxBytes: 5 * 1024 * 1024,
        description: 'The file: CSV or XLSX, at most 5 MB.',
        example: TEMPLATE,
      },
      query: ImportQuery,
      returns: ImportAnswer,
      status: 200,
      refuses: { 422: ['file_unreadable'], 503: ['import_busy', 'import_timeout'] },
    },
    async ({ scope, file, query, request: { signal } }) => {
      const isDryRun = query.dry_run === 'true'
      const found = await importMachines(scope, file.bytes, { isDryRun, signal })
      const { totalRows, errors, createdIds, successCount, preview } = found
      return {
        total_rows: totalRows,
        success_count: successCount,
        failed_count: totalRows - successCount,
        errors,
        created_machine_ids: createdIds,
        ...(isDryRun ? { preview: preview.map(({ line, cells }) => ({ row: line, cells })) } : {}),
      }
    },
  ),
  route(
    {
      method: 'get',
      path: '/machines/import/template',
      operation: 'getMachineImportTemplate',
      answerHeaders: { 'Content-Disposition': 'The name of the file.' },
      access: 'any',
      tag,
      summary: 'A CSV file to start an import from',
      description:
        'A table in CSV with the columns of `POST /machines/import` and two example machines. It opens in a spreadsheet.',
      returns: null,
      media: { 'text/csv': { description: 'The columns and two example machines, in UTF-8.', example: TEMPLATE } },
      status: 200,
    },
    async () =>
      new Response(TEMPLATE, {
        headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="machines.csv"' },
      }) as never,
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}',
      operation: 'getMachine',
      access: 'any',
      tag,
      summary: 'One machine',
      description: 'Also answers deactivated machines.',
      params: MachineParams,
      returns: MachineBody,
    },
    async ({ scope, params }) => presentMachine(await findMachine(scope, params)),
  ),
  route(
    {
      method: 'patch',
      path: '/machines/{machine_id}',
      operation: 'updateMachine',
      access: 'operator',
      tag,
      summary: 'Change a machine',
      description:
        'Changes the given fields. A `status` given here stands until the next reading of the machine, a change of its rules, or its fall to `offline`. `is_active: false` deactivates as DELETE does, `is_active: true` reactivates.',
      params: MachineParams,
      body: MachinePatch,
      changes: {
        lock: async (sql, scope, { machine_id }, body) => {
          if (deactivates(body)) await rules.lock(sql, scope)
          await repository.lock(sql, scope, machine_id)
        },
        current: async (scope, params) => presentMachine(await findMachine(scope, params)),
      },
      returns: MachineBody,
      refuses: { 409: ['tenant_limit'] },
    },
    async ({ scope, params, body }) => presentMachine(await changeMachine(rules, scope, params.machine_id, body)),
    findMachine,
  ),
  route(
    {
      method: 'delete',
      path: '/machines/{machine_id}',
      operation: 'deactivateMachine',
      access: 'operator',
      tag,
      summary: 'Deactivate a machine; its record and readings are kept',
      description:
        'The record and its readings are kept and the identifier stays taken. Readings for the machine are rejected, its polling sources rest, and what its rules had raised is cleared. PATCH with `is_active: true` reactivates it. Repeating the call changes nothing.',
      params: MachineParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await changeMachine(rules, scope, params.machine_id, { is_active: false })
      return undefined
    },
  ),
]
