import { Id, Instant, Paging, pageOf, rangeEnd } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'

export const AuditEntry = z
  .object({
    id: Id,
    at: Instant,
    actor: z.object({
      kind: z.enum(['user', 'api_key', 'operator', 'anonymous']),
      id: z.string().nullable(),
      name: z.string().nullable().openapi({ description: 'e-mail address or key name, as it was then' }),
    }),
    action: z.string().openapi({ example: 'machine.updated' }),
    target: z.object({ type: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
    ip: z.string().nullable(),
    request_id: z.string().nullable(),
  })
  .openapi('AuditEntry')
export const AuditPage = pageOf(AuditEntry).openapi('AuditPage')

const word = z.string().max(255).optional()
export const AuditQuery = z
  .object({
    ...Paging,
    actor_id: word.openapi({ description: 'id of a user or an API key' }),
    action: word.openapi({ description: 'such as `machine.updated`, or `machine.` for all that begins so' }),
    target_type: word,
    target_id: word,
    start: rangeEnd('start').optional(),
    end: rangeEnd('end').optional(),
  })
  .refine(({ start, end }) => !start || !end || end > start, { path: ['end'], message: 'must be after start' })
