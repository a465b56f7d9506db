import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import {
  addInstruction,
  changeInstruction,
  deleteInstruction,
  findInstruction,
  type InstructionRow,
  listInstructions,
} from './instructions.ts'
import { lockOrder } from './repository.ts'
import { findWorkOrder } from './routes.ts'
import {
  InstructionBody,
  InstructionCreate,
  InstructionList,
  InstructionParams,
  InstructionPatch,
  OrderParams,
} from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Work orders'

const withVersion = versionedBy(InstructionPatch)
const present = (row: InstructionRow) =>
  withVersion({
    id: row.id,
    work_order_id: row.workOrderId,
    step_order: row.stepOrder,
    title: row.title,
    body: row.body,
    attachment_id: row.attachmentId,
    is_completed: row.completedAt !== null,
    completed_at: row.completedAt?.toISOString() ?? null,
    completed_by: row.completedBy,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  })

const find = (scope: TenantScope, params: { work_order_id: string; instruction_id: string }) =>
  scope.read((sql) => findInstruction(sql, scope, params))

export const instructionRoutes = () => [
  route(
    {
      method: 'get',
      path: '/work-orders/{work_order_id}/instructions',
      operation: 'listWorkOrderInstructions',
      access: 'any',
      tag,
      summary: 'Instructions of a work order',
      description: 'All instructions in one response, by `step_order`, then by creation.',
      params: OrderParams,
      returns: InstructionList,
    },
    async ({ scope, params }) => {
      const rows = await scope.read((sql) => listInstructions(sql, scope, params.work_order_id))
      return { items: rows.map(present), total: rows.length }
    },
    findWorkOrder,
  ),
  route(
    {
      method: 'post',
      path: '/work-orders/{work_order_id}/instructions',
      operation: 'createWorkOrderInstruction',
      access: 'operator',
      tag,
      summary: 'Add an instruction',
      description: 'A step of the work. A work order has at most 200 of them.',
      params: OrderParams,
      body: InstructionCreate,
      returns: InstructionBody,
      creates: true,
      refuses: { 404: ['attachment_not_found'], 409: ['work_order_signed', 'too_many_instructions'] },
    },
    async ({ scope, params, body }) => present(await addInstruction(scope, params.work_order_id, body)),
    findWorkOrder,
  ),
  route(
    {
      method: 'get',
      path: '/work-orders/{work_order_id}/instructions/{instruction_id}',
      operation: 'getWorkOrderInstruction',
      access: 'any',
      tag,
      summary: 'One instruction',
      description: 'With who ticked it off, and when.',
      params: InstructionParams,
      returns: InstructionBody,
    },
    async ({ found }) => present(found),
    find,
  ),
  route(
    {
      method: 'patch',
      path: '/work-orders/{work_order_id}/instructions/{instruction_id}',
      operation: 'updateWorkOrderInstruction',
      access: 'operator',
      tag,
      summary: 'Change an instruction, or tick it off',
      description:
        '`is_completed` sets or clears `completed_at` and `completed_by`; ticking off a second time changes nothing. Not after the work order is signed.',
      params: InstructionParams,
      body: InstructionPatch,
      changes: {
        lock: (sql, scope, { work_order_id }) => lockOrder(sql, scope, work_order_id),
        current: async (scope, params) => present(await find(scope, params)),
      },
      returns: InstructionBody,
      refuses: { 404: ['attachment_not_found'], 409: ['work_order_signed'] },
    },
    async ({ scope, params, body }) => present(await changeInstruction(scope, params, body)),
    find,
  ),
  route(
    {
      method: 'delete',
      path: '/work-orders/{work_order_id}/instructions/{instruction_id}',
      operation: 'deleteWorkOrderInstruction',
      access: 'operator',
      tag,
      summary: 'Delete an instruction',
      description: 'Its attachment stays. Not after the work order is signed.',
      params: InstructionParams,
      returns: null,
      refuses: { 409: ['work_order_signed'] },
    },
    async ({ scope, params }) => {
      await deleteInstruction(scope, params)
      return undefined
    },
    find,
  ),
]
