import type { TenantScope } from '../../db/scope.ts'
import { NotFound } from '../../support/errors.ts'
import { routeFor } from '../../support/http/route.ts'
import { changeMachine, createMachine } from './change-machine.ts'
import { importMachines } from './import/import-machines.ts'
import * as repository from './repository.ts'
import { ImportAnswer, MachineBody, MachineCreate, MachinePage, MachineParams, MachinePatch, MachineQuery } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Machines and groups'
/** With the mark that makes Excel read it as UTF-8. */
const TEMPLATE =
  '\ufeffname,machine_identifier,protocol,location\r\nPress 1,press-01,opc_ua,Hall 3\r\nOven 2,oven-02,modbus_tcp,\r\n'

function presentMachine(row: repository.ListedMachine) {
  return {
    id: row.id,
    tenant_id: row.tenantId,
    name: row.name,
    machine_identifier: row.machineIdentifier,
    protocol: row.protocol,
    status: row.status,
    location: row.location,
    is_active: row.isActive,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

/** The machine of a path, active or not. @throws NotFound */
export async function findMachine(scope: TenantScope, { machine_id }: { machine_id: string }): Promise<repository.MachineRow> {
  const row = await scope.read((db) => repository.find(db, scope, machine_id))
  if (!row) throw new NotFound('machine', machine_id)
  return row
}

export const machineRoutes = () => [
  route(
    {
      method: 'post',
      path: '/machines',
      access: 'operator',
      tag,
      summary: 'Create a machine',
      body: MachineCreate,
      returns: MachineBody,
      creates: true,
      refuses: { 409: 'The machine_identifier is taken in this tenant' },
    },
    async ({ scope, body }) =>
      presentMachine(
        await createMachine(scope, {
          name: body.name,
          machineIdentifier: body.machine_identifier,
          protocol: body.protocol,
          location: body.location ?? null,
        }),
      ),
  ),
  route(
    {
      method: 'get',
      path: '/machines',
      access: 'any',
      tag,
      summary: 'List machines',
      description: 'Active machines unless `is_active` says `false` or `all`. `search` matches name or identifier, without case.',
      query: MachineQuery,
      returns: MachinePage,
    },
    async ({ scope, query }) => {
      const { items, total } = await scope.rawRead((sql) => repository.list(sql, scope, query))
      return { items: items.map(presentMachine), pagination: { total, page: query.page, page_size: query.page_size } }
    },
  ),
  route(
    {
      method: 'post',
      path: '/machines/import',
      access: 'operator',
      tag,
      summary: 'Create machines from a file',
      description:
        'CSV (comma, semicolon or tab; UTF-8, UTF-16 or Windows-1252) or XLSX, at most 500 rows. The first line names the columns `name`, `machine_identifier`, `protocol` and, if wanted, `location`. A bad row is reported and hurts no other. `GET /machines/import/template` is a file to start from.',
      upload: { field: 'file', maxBytes: 5 * 1024 * 1024, description: 'CSV or XLSX, at most 5 MB' },
      returns: ImportAnswer,
      status: 200,
      refuses: { 503: 'Many files are being imported' },
    },
    async ({ scope, file }) => {
      const { totalRows, errors, createdIds } = await importMachines(scope, file.bytes)
      return {
        total_rows: totalRows,
        success_count: createdIds.length,
        failed_count: totalRows - createdIds.length,
        errors,
        created_machine_ids: createdIds,
      }
    },
  ),
  route(
    {
      method: 'get',
      path: '/machines/import/template',
      access: 'any',
      tag,
      summary: 'A CSV file to start an import from',
      returns: null,
      media: { 'text/csv': 'Two machines as an example' },
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
      access: 'any',
      tag,
      summary: 'One machine',
      params: MachineParams,
      returns: MachineBody,
    },
    async ({ scope, params }) => presentMachine(await findMachine(scope, params)),
  ),
  route(
    {
      method: 'patch',
      path: '/machines/{machine_id}',
      access: 'operator',
      tag,
      summary: 'Change a machine',
      description:
        'A `status` given here stands until the next reading, a rule change or the fall to offline. `is_active: true` brings a machine back.',
      params: MachineParams,
      body: MachinePatch,
      returns: MachineBody,
    },
    async ({ scope, params, body }) =>
      presentMachine(
        await changeMachine(scope, params.machine_id, {
          name: body.name,
          location: body.location,
          status: body.status,
          isActive: body.is_active,
        }),
      ),
    findMachine,
  ),
  route(
    {
      method: 'delete',
      path: '/machines/{machine_id}',
      access: 'operator',
      tag,
      summary: 'Deactivate a machine; its record and readings are kept',
      params: MachineParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await changeMachine(scope, params.machine_id, { isActive: false })
      return undefined
    },
  ),
]
