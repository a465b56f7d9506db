import { sql } from 'drizzle-orm'
import { foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { MailStatus } from '../enums.ts'
import { users } from './accounts.ts'
import { createdAt, id, instant, tenantId } from './common.ts'

/** Outbox of the hub's mails to its users, committed with their cause. Workers claim rows with SKIP LOCKED and wake by NOTIFY. */
export const mails = pgTable(
  'mails',
  {
    /** also the Message-ID, constant over retries */
    id: id(),
    tenantId: tenantId(),
    /** the recipient; deleted with the user */
    userId: uuid('user_id').notNull(),
    toEmail: text('to_email').notNull(),
    template: text('template').notNull(),
    locale: text('locale').notNull(),
    /**
     * the template's parameters as JSON, encrypted under SECRET_KEY because links contain one-time tokens. Cleared after sending.
     */
    sealedParams: text('sealed_params').notNull(),
    status: text('status').$type<MailStatus>().notNull().default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    error: text('error'),
    dueAt: instant('due_at').notNull().default(sql`now()`),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
    index('mails_due_idx').on(t.dueAt).where(sql`${t.status} = 'waiting'`),
    index('mails_created_idx').on(t.createdAt),
  ],
)
