import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { createdAt, instant, tenantId } from './common.ts'

/** Requests with an `Idempotency-Key` of the last 24 hours, each with its answer, which commits with what the request changed. */
export const idempotentRequests = pgTable(
  'idempotent_requests',
  {
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    /** who sent it: kind and id of the actor */
    credential: text('credential').notNull(),
    /** as it was sent, after the id of the access token and a blank where one sent it */
    key: text('key').notNull(),
    /** of method, path, query and body: HMAC-SHA256 by a key of SECRET_KEY, hex */
    fingerprint: text('fingerprint').notNull(),
    /** the attempt that may store the answer */
    claimId: uuid('claim_id').notNull(),
    /** an attempt without an answer counts as running until then */
    claimedUntil: instant('claimed_until').notNull(),
    /** of the answer; null: there is none yet */
    status: integer('status'),
    /** JSON; null also for an answer without a body, or one that is too large to store */
    answer: text('answer'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.credential, t.key] }),
    check('idempotent_requests_answer_check', sql`${t.status} is not null or ${t.answer} is null`),
    index('idempotent_requests_age_idx').on(t.createdAt),
  ],
)
