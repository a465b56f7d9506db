import { MACHINE_PROTOCOLS, MACHINE_STATUSES } from '../../../db/enums.ts'
import { RowFaults } from '../../../support/http/field-error.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, Paging, pageOf, pathId, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { ofGroup } from '../machine-groups/index.ts'
import { detailsOf } from './details.ts'

export const MachineParams = z.object({ machine_id: pathId('machine').describe('The machine, from `GET /machines`.') })

/** In answers about a thing of a machine, so that lists need no request for each name. */
export const MachineName = z.string().describe('The present name of the machine.')

const examples = detailsOf(({ example }) => example)
const shownDetails = detailsOf(({ meaning }) => z.string().nullable().describe(`${meaning}; null when not given.`))
/** An empty string clears a detail, as null does. */
const givenDetails = detailsOf(({ maxLength, meaning }) =>
  z
    .union([z.literal(''), text(maxLength)])
    .nullable()
    .transform((value) => value || null)
    .describe(`${meaning}, up to ${maxLength} characters; null or an empty string clears it.`)
    .optional(),
)
const status = z
  .enum(MACHINE_STATUSES)
  .describe(
    '`healthy`: nothing of what follows. `warning` and `critical`: a metric is beyond that threshold, or a composite rule is true. `offline`: no reading within the last 10 minutes, unless the hub is set otherwise.',
  )
const protocol = z.enum(MACHINE_PROTOCOLS).describe('How the machine is read. For information; polling sources have their own.')
const identifier = 'The name that readings carry for this machine, unique in the tenant. It never changes.'
const isActive = z.boolean().describe('False after deactivation: readings are rejected, the record is kept.')

export const MachineBody = z
  .object({
    id: Id.describe('Identifies the machine: the `machine_id` of paths and of other answers.'),
    tenant_id: Id.describe('The tenant that it belongs to.'),
    name: z.string().describe('The name that people see.'),
    machine_identifier: z.string().describe(identifier),
    protocol,
    status,
    ...shownDetails,
    is_active: isActive,
    created_at: Instant.describe('When the machine was created.'),
    updated_at: Instant.describe('When the machine was last changed by a person. Readings do not count.'),
    version: RecordVersion,
  })
  .openapi('Machine', {
    example: { name: 'Press 1', machine_identifier: 'press-01', protocol: 'opc_ua', status: 'offline', ...examples },
  })

export const MachineCreate = z
  .object({
    name: text(255).describe('The name that people see.'),
    machine_identifier: text(255).describe(identifier),
    protocol,
    ...givenDetails,
  })
  .openapi('MachineCreate', {
    example: { name: 'Press 1', machine_identifier: 'press-01', protocol: 'opc_ua', ...examples },
  })

export const MachinePatch = z
  .object({
    name: text(255).describe('The name that people see.'),
    ...givenDetails,
    status: status.describe('A status set by hand. It stands until the next reading, a rule change or the fall to `offline`.'),
    is_active: z.boolean().describe('False deactivates the machine, true reactivates it.'),
  })
  .partial()
  .openapi('MachinePatch', { example: { location: 'Hall 4' } })

export const ImportQuery = z.object({
  dry_run: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .openapi({ description: '`true`: checks the file and creates nothing.', example: 'false' }),
})

export const ImportAnswer = z
  .object({
    total_rows: z.int().describe('Rows of the file, without the header and empty lines.'),
    success_count: z.int().describe('Machines created; of a dry run those that would be.'),
    failed_count: z.int().describe('Rows that created none.'),
    errors: z
      .array(
        z.object({
          row: z.int().describe('The line of the file; the header is line 1.'),
          reason: z.string().describe('What is wrong with the row.'),
          faults: RowFaults,
        }),
      )
      .describe('The rows that created no machine.'),
    created_machine_ids: z.array(Id).describe('The new machines, in the order of the file; of a dry run none.'),
    preview: z
      .array(
        z.object({
          row: z.int().describe('The line of the file.'),
          cells: z.record(z.string(), z.string()).describe('Its values, by column.'),
        }),
      )
      .optional()
      .describe('The first 20 rows of the file, in answers to a dry run.'),
  })
  .openapi('MachineImport', {
    example: { total_rows: 2, success_count: 2, failed_count: 0, errors: [] },
  })

export const SORT_COLUMNS = ['name', 'machine_identifier', 'status', 'location', 'updated_at', 'created_at'] as const

export const MachineQuery = z.object({
  ...Paging,
  group_id: ofGroup('members'),
  search: z.string().max(200, 'must have at most 200 characters').optional().openapi({
    description: 'Only machines whose name or identifier contains this text; case does not matter.',
    example: 'press',
  }),
  status: z.enum(MACHINE_STATUSES).optional().describe('Only machines with this status.'),
  is_active: z
    .enum(['true', 'false', 'all'])
    .default('true')
    .describe('`true`: active machines, `false`: deactivated ones, `all`: both.'),
  sort_by: z.enum(SORT_COLUMNS).default('name').describe('The field that orders the list.'),
  sort_dir: z.enum(['asc', 'desc']).default('asc').describe('Ascending or descending.'),
})

export const MachinePage = pageOf(MachineBody).openapi('MachinePage')
