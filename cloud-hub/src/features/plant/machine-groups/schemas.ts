import { GROUP_TYPES } from '../../../db/enums.ts'
import { Id, Instant, pathId, Timezone, text } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'

/** Maximum per tenant, so that lists and trees fit in one response. */
export const MAX_GROUPS = 1_000
const MAX_MEMBERS = 10_000

export const GroupParams = z.object({ group_id: pathId('machine group').describe('The group, from `GET /machine-groups`.') })

/** A filter of lists, `group_id`: what the list has, in words, such as `alerts of machines`. */
export const ofGroup = (what: string) => Id.optional().describe(`Only ${what} of this machine group and of the groups below it.`)

const Description = z
  .union([z.literal(''), text(2_000)])
  .nullable()
  .transform((value) => value || null)
  .describe('What the group is for, up to 2,000 characters; null or an empty string clears it.')
const Color = z
  .union([
    z.literal('').transform(() => null),
    z.string().regex(/^#[0-9a-f]{6}$/i, invalid('invalid_color', {}, 'must be a colour such as #1f77b4')),
    z.null(),
  ])
  .openapi({ type: ['string', 'null'], description: 'Colour for display as `#RRGGBB`; null or an empty string clears it.' })
const MachineIds = z
  .array(Id)
  .max(MAX_MEMBERS, `must hold at most ${MAX_MEMBERS} ids`)
  .describe('The direct members, at most 10,000; they replace those of before.')
const typeText = 'What the group stands for. A `site` appears in the site figures. Default: `custom`.'

const zoneText =
  'The IANA time zone of a site, such as `America/Chicago`: shifts, days and series of maintenance of its machines follow it. Null: that of the plant.'

const fields = {
  name: text(200).describe('The name that people see.'),
  group_type: z.enum(GROUP_TYPES, { error: `must be one of ${GROUP_TYPES.join(', ')}` }).describe(typeText),
  description: Description,
  color: Color,
  parent_id: Id.nullable().describe('The group above; null: none.'),
  time_zone: Timezone.nullable().describe(`${zoneText} Only sites have one.`),
  machine_ids: MachineIds,
}
export const GroupCreate = z
  .object(fields)
  .partial()
  .required({ name: true })
  .openapi('MachineGroupCreate', { example: { name: 'Line 4', group_type: 'line', color: '#1f77b4' } })
export const GroupPut = z
  .object(fields)
  .partial()
  .openapi('MachineGroupPut', { example: { name: 'Line 4 (north)' } })
export const MembersPut = z.object({ machine_ids: MachineIds }).openapi('MachineGroupMembers')

export const GroupQuery = z.object({
  group_type: z.enum(GROUP_TYPES).optional().openapi({ description: 'Only groups of this type.', example: 'site' }),
})

const shown = {
  id: Id.describe('Identifies the group: the `group_id` of paths and of other answers.'),
  name: z.string().describe('The name that people see.'),
  group_type: z.enum(GROUP_TYPES).describe(typeText),
  description: z.string().nullable().describe('What the group is for; null when not given.'),
  color: z.string().nullable().describe('Colour for display as `#RRGGBB`; null when not given.'),
  parent_id: Id.nullable().describe('The group above; null: none.'),
  time_zone: z.string().nullable().describe(zoneText),
  machine_count: z.int().describe('How many active machines are direct members.'),
  created_at: Instant.describe('When the group was created.'),
}
const example = {
  name: 'Line 4',
  group_type: 'line',
  description: null,
  color: '#1f77b4',
  parent_id: null,
  time_zone: null,
  machine_count: 0,
}
export const GroupBody = z.object(shown).openapi('MachineGroup', { example })
export const GroupWithMembers = z
  .object({ ...shown, machine_ids: z.array(Id).describe('The active machines that are direct members.') })
  .openapi('MachineGroupWithMembers', { example: { ...example, machine_ids: [] } })

export interface GroupNode extends z.infer<typeof GroupBody> {
  children: GroupNode[]
}
export const GroupTree = z
  .object({
    ...shown,
    get children() {
      return z.array(GroupTree).describe('The groups directly below, by name.')
    },
  })
  .openapi('MachineGroupNode', { example: { ...example, children: [] } }) as unknown as z.ZodType<GroupNode, GroupNode>

/** The most machines, and the most pairs of sites, that the list of conflicts names. */
export const MAX_CONFLICTS = 1_000
const Site = z.object({ id: Id.describe('The site: the id of its group.'), name: z.string().describe('Its name.') })
export const SiteConflicts = z
  .object({
    machine_count: z.int().describe('How many machines belong to several sites.'),
    machines: z
      .array(
        z.object({
          machine_id: Id.describe('The machine.'),
          machine_name: z.string().describe('Its name.'),
          sites: z.array(Site).describe('Its sites, by name.'),
        }),
      )
      .describe('These machines by name, at most 1,000.'),
    sites: z
      .array(
        z.object({
          site_id: Id.describe('The inner site: the id of its group.'),
          site_name: z.string().describe('Its name.'),
          inside: Site.describe('A site that it is inside of, at any depth.'),
        }),
      )
      .describe('Sites inside others, by name, at most 1,000.'),
  })
  .openapi('SiteConflicts', { example: { machine_count: 0, machines: [], sites: [] } })
