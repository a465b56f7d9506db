import type { TenantScope } from '../../db/scope.ts'
import { NotFound } from '../../support/errors.ts'
import { routeFor } from '../../support/http/route.ts'
import { changeMachine, createMachine } from './change-machine.ts'
import * as repository from './repository.ts'
import { MachineBody, MachineCreate, MachinePage, MachineParams, MachinePatch, MachineQuery } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Machines and groups'

function presentMachine(row: repository.MachineRow) {
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
      const { items, total } = await scope.read((db) => repository.list(db, scope, query))
      return { items: items.map(presentMachine), pagination: { total, page: query.page, page_size: query.page_size } }
    },
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
