import { CursorPaging, cursorPageOf } from '../../../support/http/cursor.ts'
import { Id, Instant, rangeEnd } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'

export const AuditEntry = z
  .object({
    id: Id.describe('Identifies the entry.'),
    at: Instant.describe('When it happened.'),
    actor: z
      .object({
        kind: z
          .enum(['user', 'token', 'api_key', 'enrolment_key', 'operator', 'anonymous', 'hub'])
          .describe(
            '`token`: a program that acts as a user, by an access token. `operator`: a person at the command line of the hub. `anonymous`: a caller without credentials. `hub`: the hub itself.',
          ),
        id: z
          .string()
          .nullable()
          .describe('Id of the user, also where a token acts as the user, or of the API key; null for the others.'),
        name: z
          .string()
          .nullable()
          .describe(
            'E-mail address or key name, as it was then, with prefix and name of the token that a program used, as in `ada@example.com (ht_1a2b3c4d "export")`; null when there is none.',
          ),
      })
      .describe('Who did it.'),
    action: z.string().describe('What was done, as `thing.event`.'),
    target: z
      .object({
        type: z.string().describe('The kind of thing that was changed, such as `machine`.'),
        id: z.string().nullable().describe('Its id; null when it has none.'),
        name: z.string().nullable().describe('Its name, as it was then; null when it has none.'),
      })
      .describe('What it was done to.'),
    before: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The changed fields before; null when the thing was new. Secrets are `***`.'),
    after: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The changed fields after; null when the thing is gone. Secrets are `***`.'),
    ip: z.string().nullable().describe('The network address of the caller; null when it was the command line.'),
    request_id: z.string().nullable().describe('The `X-Request-Id` of the request; null when there was none.'),
  })
  .openapi('AuditEntry', {
    example: {
      actor: { kind: 'user', id: '0198c7d4-5a00-7000-8000-000010a75cda', name: 'ada@example.com' },
      action: 'machine.updated',
      target: { type: 'machine', id: '0198c7d4-5a00-7000-8000-0000f5a48bee', name: 'Press 1' },
      before: { location: null },
      after: { location: 'Hall 3' },
      ip: '192.0.2.7',
      request_id: '5c1c1f0e-3f0e-4c57-9a62-6f3f3f1d8a10',
    },
  })
export const AuditPage = cursorPageOf(AuditEntry).openapi('AuditPage')

const word = z.string().max(255).optional()
export const AuditQuery = z
  .object({
    ...CursorPaging,
    actor_id: word.openapi({ description: 'Only entries of this user or API key, by id.' }),
    action: word.openapi({
      description: 'Only this action, such as `machine.updated`, or `machine.` for all that begin so.',
      example: 'machine.',
    }),
    kind: z
      .enum(['security'])
      .optional()
      .describe(
        'Only security events: sign-ins, refusals (`access.refused`), second factors, passwords, roles and access of users, keys, ended sessions, settings of single sign-on. Without it, refusals are listed only where `action` names them.',
      ),
    target_type: word.openapi({ description: 'Only entries about this kind of thing, such as `machine`.', example: 'machine' }),
    target_id: word.openapi({ description: 'Only entries about the thing with this id.' }),
    start: rangeEnd('start').optional().describe('Only entries at or after this date or datetime.'),
    end: rangeEnd('end').optional().describe('Only entries at or before this date or datetime; it lies after `start`.'),
  })
  .refine(({ start, end }) => !start || !end || end > start, { path: ['end'], ...invalid('not_after', { other: 'start' }) })
