import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import {
  type ChecklistRow,
  changeChecklist,
  createChecklist,
  deleteChecklist,
  findChecklist,
  listChecklists,
  lockChecklist,
} from './manage-checklist.ts'
import { ChecklistBody, ChecklistCreate, ChecklistParams, ChecklistPut } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Maintenance'

const withVersion = versionedBy(ChecklistPut)
const presentChecklist = (row: ChecklistRow) =>
  withVersion({
    id: row.id,
    name: row.name,
    steps: row.steps,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  })

export const checklistRoutes = () => [
  route(
    {
      method: 'post',
      path: '/checklists',
      operation: 'createChecklist',
      access: 'admin',
      tag,
      summary: 'Create a checklist',
      description:
        'A template of instructions. A maintenance event with its `checklist_id` creates its work order from it. A tenant has at most 500 checklists.',
      body: ChecklistCreate,
      returns: ChecklistBody,
      creates: true,
      refuses: { 409: ['checklist_name_taken', 'too_many_checklists'] },
    },
    async ({ scope, body }) => presentChecklist(await createChecklist(scope, body)),
  ),
  route(
    {
      method: 'get',
      path: '/checklists',
      operation: 'listChecklists',
      access: 'any',
      tag,
      summary: 'All checklists, by name',
      description: 'All checklists of the tenant with their steps, by name.',
      returns: z.array(ChecklistBody),
    },
    async ({ scope }) => (await listChecklists(scope)).map(presentChecklist),
  ),
  route(
    {
      method: 'get',
      path: '/checklists/{checklist_id}',
      operation: 'getChecklist',
      access: 'any',
      tag,
      summary: 'One checklist',
      description: 'The checklist with its steps.',
      params: ChecklistParams,
      returns: ChecklistBody,
    },
    async ({ scope, params }) => presentChecklist(await findChecklist(scope, params)),
  ),
  route(
    {
      method: 'put',
      path: '/checklists/{checklist_id}',
      operation: 'updateChecklist',
      access: 'admin',
      tag,
      summary: 'Change a checklist; what is not named stays',
      description: '`steps` replaces all steps. Work orders that were created from the checklist stay as they are.',
      params: ChecklistParams,
      body: ChecklistPut,
      changes: { lock: lockChecklist, current: async (scope, params) => presentChecklist(await findChecklist(scope, params)) },
      returns: ChecklistBody,
      refuses: { 409: ['checklist_name_taken'] },
    },
    async ({ scope, params, body }) => presentChecklist(await changeChecklist(scope, params.checklist_id, body)),
    findChecklist,
  ),
  route(
    {
      method: 'delete',
      path: '/checklists/{checklist_id}',
      operation: 'deleteChecklist',
      access: 'admin',
      tag,
      summary: 'Delete a checklist',
      description: 'Refused while a maintenance event uses it. Work orders that were created from it stay as they are.',
      params: ChecklistParams,
      returns: null,
      refuses: { 409: ['checklist_in_use'] },
    },
    async ({ scope, params }) => {
      await deleteChecklist(scope, params.checklist_id)
      return undefined
    },
  ),
]
