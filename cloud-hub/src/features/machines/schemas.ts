import { MACHINE_PROTOCOLS, MACHINE_STATUSES } from '../../db/tables/machines.ts'
import { Id, Instant, Paging, pageOf, pathId, text } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'

export const MachineParams = z.object({ machine_id: pathId('machine') })

/** An empty string clears the optional location, as null does. */
const Location = z
  .union([z.literal(''), text(500)])
  .nullable()
  .transform((value) => value || null)

export const MachineBody = z
  .object({
    id: Id,
    tenant_id: Id,
    name: z.string(),
    machine_identifier: z.string(),
    protocol: z.enum(MACHINE_PROTOCOLS),
    status: z.enum(MACHINE_STATUSES),
    location: z.string().nullable(),
    is_active: z.boolean(),
    created_at: Instant,
    updated_at: Instant,
  })
  .openapi('Machine')

export const MachineCreate = z
  .object({ name: text(255), machine_identifier: text(255), protocol: z.enum(MACHINE_PROTOCOLS), location: Location.optional() })
  .openapi('MachineCreate')

export const MachinePatch = z
  .object({ name: text(255), location: Location, status: z.enum(MACHINE_STATUSES), is_active: z.boolean() })
  .partial()
  .openapi('MachinePatch')

export const ImportAnswer = z
  .object({
    total_rows: z.int(),
    success_count: z.int(),
    failed_count: z.int(),
    errors: z.array(z.object({ row: z.int().openapi({ description: 'line of the file; the header is 1' }), reason: z.string() })),
    created_machine_ids: z.array(Id),
  })
  .openapi('MachineImport')

export const SORT_COLUMNS = ['name', 'machine_identifier', 'status', 'location', 'updated_at', 'created_at'] as const

export const MachineQuery = z.object({
  ...Paging,
  group_id: Id.optional(),
  search: z.string().max(200, 'must have at most 200 characters').optional(),
  status: z.enum(MACHINE_STATUSES).optional(),
  is_active: z.enum(['true', 'false', 'all']).default('true'),
  sort_by: z.enum(SORT_COLUMNS).default('name'),
  sort_dir: z.enum(['asc', 'desc']).default('asc'),
})

export const MachinePage = pageOf(MachineBody).openapi('MachinePage')
