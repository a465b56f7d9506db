import { sql } from 'drizzle-orm'
import { check, foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { machineGroups, machines } from './machines.ts'

/** What people note about an instant or a range of time of a machine, or of a group of machines such as a site. */
export const notes = pgTable(
  'notes',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    /** exactly one of the two */
    machineId: uuid('machine_id'),
    groupId: uuid('group_id'),
    startsAt: instant('starts_at').notNull(),
    /** null: the note is about an instant */
    endsAt: instant('ends_at'),
    body: text('body').notNull(),
    /** the users whom the author mentions */
    mentionIds: uuid('mention_ids').array().notNull().default(sql`'{}'`),
    authorId: uuid('author_id').notNull(),
    /** the name at that time */
    authorName: text('author_name').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    foreignKey({ columns: [t.tenantId, t.groupId], foreignColumns: [machineGroups.tenantId, machineGroups.id] }).onDelete(
      'cascade',
    ),
    check('notes_subject_check', sql`num_nonnulls(${t.machineId}, ${t.groupId}) = 1`),
    check('notes_order_check', sql`${t.endsAt} > ${t.startsAt}`),
    index('notes_newest_idx').on(t.tenantId, t.startsAt.desc(), t.id.desc()),
    index('notes_machine_idx').on(t.tenantId, t.machineId, t.startsAt.desc(), t.id.desc()).where(sql`${t.machineId} is not null`),
    index('notes_group_idx').on(t.tenantId, t.groupId, t.startsAt.desc(), t.id.desc()).where(sql`${t.groupId} is not null`),
    // Recent changes, for live streams.
    index('notes_updated_idx').on(t.tenantId, t.updatedAt),
  ],
)
