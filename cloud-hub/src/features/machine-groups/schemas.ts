import { GROUP_TYPES } from '../../db/tables/machines.ts'
import { Id, Instant, pathId, text } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'

/** Of a tenant at most, so that lists and trees stay whole in one answer. */
export const MAX_GROUPS = 1_000
const MAX_MEMBERS = 10_000

export const GroupParams = z.object({ group_id: pathId('machine group') })

const Description = z
  .union([z.literal(''), text(2_000)])
  .nullable()
  .transform((value) => value || null)
const Color = z
  .union([z.literal('').transform(() => null), z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #1f77b4'), z.null()])
  .openapi({ type: ['string', 'null'], example: '#1f77b4' })
const MachineIds = z.array(Id).max(MAX_MEMBERS, `must hold at most ${MAX_MEMBERS} ids`)

const fields = {
  name: text(200),
  group_type: z.enum(GROUP_TYPES, { error: `must be one of ${GROUP_TYPES.join(', ')}` }),
  description: Description,
  color: Color,
  parent_id: Id.nullable(),
  machine_ids: MachineIds,
}
export const GroupCreate = z.object(fields).partial().required({ name: true }).openapi('MachineGroupCreate')
export const GroupPut = z.object(fields).partial().openapi('MachineGroupPut')
export const MembersPut = z.object({ machine_ids: MachineIds }).openapi('MachineGroupMembers')

const shown = {
  id: Id,
  name: z.string(),
  group_type: z.enum(GROUP_TYPES),
  description: z.string().nullable(),
  color: z.string().nullable(),
  parent_id: Id.nullable(),
  machine_count: z.int().openapi({ description: 'direct and active members' }),
  created_at: Instant,
}
export const GroupBody = z.object(shown).openapi('MachineGroup')
export const GroupWithMembers = z
  .object({ ...shown, machine_ids: z.array(Id).openapi({ description: 'direct and active members' }) })
  .openapi('MachineGroupWithMembers')

export interface GroupNode extends z.infer<typeof GroupBody> {
  children: GroupNode[]
}
export const GroupTree = z
  .object({
    ...shown,
    get children() {
      return z.array(GroupTree)
    },
  })
  .openapi('MachineGroupNode') as unknown as z.ZodType<GroupNode, GroupNode>
