import { sql } from 'drizzle-orm'
import { boolean, foreignKey, index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { GroupType, MachineProtocol, MachineStatus } from '../enums.ts'
import { tenants } from './accounts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'

export const machines = pgTable(
  'machines',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    machineIdentifier: text('machine_identifier').notNull(),
    protocol: text('protocol').$type<MachineProtocol>().notNull(),
    status: text('status').$type<MachineStatus>().notNull().default('offline'),
    /** a user set the status; it stays until the next reading, rule change or transition to offline */
    statusIsManual: boolean('status_is_manual').notNull().default(false),
    /**
     * When the sweep checks next whether the machine is silent, not when it falls silent. For a machine with fresh readings the
     * sweep sets a later time. So it checks a live machine once per offline span, and ingest writes nothing here.
     */
    offlineDueAt: instant('offline_due_at'),
    /** when the job of predictions examines next whether the machine needs an analysis */
    analysisDueAt: instant('analysis_due_at').notNull().default(sql`'1970-01-01T00:00:00Z'`),
    location: text('location'),
    isActive: boolean('is_active').notNull().default(true),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    unique('machines_identifier_key').on(t.tenantId, t.machineIdentifier),
    index('machines_natural_name_idx').on(t.tenantId, sql`${t.name} collate natural_order`, t.id),
    // without the status, whose changes would otherwise rewrite the entries of all indexes
    index('machines_offline_due_idx').on(t.offlineDueAt).where(sql`${t.isActive} and ${t.offlineDueAt} is not null`),
    index('machines_analysis_due_idx').on(t.analysisDueAt).where(sql`${t.isActive}`),
  ],
)

/** Groups nest; a site is a group of type `site`. */
export const machineGroups = pgTable(
  'machine_groups',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    groupType: text('group_type').$type<GroupType>().notNull().default('custom'),
    description: text('description'),
    /** `#RRGGBB` */
    color: text('color'),
    parentId: uuid('parent_id'),
    /** IANA; of sites only; null: that of the plant */
    timeZone: text('time_zone'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    // The children of a deleted group move to its parent first, in the same transaction.
    foreignKey({ columns: [t.tenantId, t.parentId], foreignColumns: [t.tenantId, t.id] }),
    index('machine_groups_parent_idx').on(t.tenantId, t.parentId),
  ],
)

/** Direct members; a machine may be in several groups. */
export const machineGroupMembers = pgTable(
  'machine_group_members',
  {
    tenantId: tenantId(),
    groupId: uuid('group_id').notNull(),
    machineId: uuid('machine_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.groupId, t.machineId] }),
    foreignKey({ columns: [t.tenantId, t.groupId], foreignColumns: [machineGroups.tenantId, machineGroups.id] }).onDelete(
      'cascade',
    ),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('machine_group_members_machine_idx').on(t.tenantId, t.machineId),
  ],
)
