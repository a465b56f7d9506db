import { index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { id, instant, tenantId } from './common.ts'

/**
 * The audit trail: who changed what, when, from where. The trigger `note_change` of every audited table writes it. `note_event`
 * writes events without a row change, such as signing in. No role can change or delete it.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    at: instant('at').notNull(),
    /** `user`, `api_key`, `operator` (of the hub, on its command line), `anonymous`, or the `hub` itself */
    actorKind: text('actor_kind')
      .$type<'user' | 'token' | 'api_key' | 'enrolment_key' | 'operator' | 'anonymous' | 'hub'>()
      .notNull(),
    actorId: text('actor_id'),
    /** e-mail address or key name at that time */
    actorName: text('actor_name'),
    ip: text('ip'),
    requestId: text('request_id'),
    /** such as `machine.updated` or `user.signed_in` */
    action: text('action').notNull(),
    targetType: text('target_type').notNull(),
    targetId: text('target_id'),
    targetName: text('target_name'),
    /** the old values of changed columns, or the whole deleted row; secrets are `***` */
    before: jsonb('before').$type<Record<string, unknown>>(),
    after: jsonb('after').$type<Record<string, unknown>>(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    index('audit_log_at_idx').on(t.tenantId, t.at.desc(), t.id.desc()),
    index('audit_log_target_idx').on(t.tenantId, t.targetId),
  ],
)
