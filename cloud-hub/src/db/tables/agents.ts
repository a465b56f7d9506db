import type {
  BrowseRequest,
  DeadLetterGroup,
  Fault,
  MissedPollCounts,
  SourceBrowseAnswer,
  SourceClock,
  UpdateReport,
} from '@haltless/protocol'
import { sql } from 'drizzle-orm'
import { bigint, doublePrecision, foreignKey, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { bytea, createdAt, instant, tenantId } from './common.ts'
import { machineGroups } from './machines.ts'

/** The latest report of an edge agent; `agent_id` is unique in its tenant. */
export const agents = pgTable(
  'agents',
  {
    tenantId: tenantId(),
    agentId: text('agent_id').notNull(),
    agentVersion: text('agent_version').notNull(),
    uptimeSeconds: doublePrecision('uptime_seconds'),
    /** how far the clock of the hub is ahead of that of its computer, ms */
    clockOffsetMs: bigint('clock_offset_ms', { mode: 'number' }),
    bufferCount: bigint('buffer_count', { mode: 'number' }),
    bufferAgeHours: doublePrecision('buffer_age_hours'),
    bufferBytes: bigint('buffer_bytes', { mode: 'number' }),
    bufferCapacityBytes: bigint('buffer_capacity_bytes', { mode: 'number' }),
    /** smoothed over a quarter of an hour; negative while the buffer drains */
    bufferBytesPerHour: doublePrecision('buffer_bytes_per_hour'),
    collectors: jsonb('collectors').$type<Record<string, string>>().notNull().default({}),
    /** by collector, what is wrong with it; collectors without a fault are absent */
    collectorFaults: jsonb('collector_faults').$type<Record<string, Fault>>().notNull().default({}),
    hostname: text('hostname'),
    droppedCount: bigint('dropped_count', { mode: 'number' }),
    deadLetterCount: bigint('dead_letter_count', { mode: 'number' }),
    /** why the hub rejected them, as the agent reports it */
    deadLetters: jsonb('dead_letters').$type<DeadLetterGroup[]>().notNull().default([]),
    /** by collector, since the agent started; collectors that missed none are absent */
    missedPolls: jsonb('missed_polls').$type<Record<string, MissedPollCounts>>().notNull().default({}),
    /** by collector, how far the clock of its source is off; collectors of sources without a clock are absent */
    sourceClocks: jsonb('source_clocks').$type<Record<string, SourceClock>>().notNull().default({}),
    /** a request to send them once more, until the agent reports it as executed */
    requeueId: uuid('requeue_id'),
    requeueRequestedAt: instant('requeue_requested_at'),
    /** the instance that uses the id; another live instance is refused */
    instanceId: uuid('instance_id'),
    lastSeen: instant('last_seen').notNull(),
    /** the last refused instance with the same id */
    conflictAt: instant('conflict_at'),
    conflictHostname: text('conflict_hostname'),
    /** whether it installs updates, and how far the newest one is; null from older agents */
    updateReport: jsonb('update_report').$type<UpdateReport>(),
    /** the rollout that orders it an update now; null: none */
    rolloutId: uuid('rollout_id'),
    /** a request to look at the device of a source, and its answer; null: none is under way */
    browseId: uuid('browse_id'),
    browseRequest: jsonb('browse_request').$type<BrowseRequest>(),
    browseAnswer: jsonb('browse_answer').$type<SourceBrowseAnswer>(),
    browseAt: instant('browse_at'),
    /** its site or another group; null: none */
    groupId: uuid('group_id'),
    /** when an admin revoked its credentials; null again when it reports with another */
    releasedAt: instant('released_at'),
    /** when an admin took it off the list; null again when it reports */
    retiredAt: instant('retired_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.agentId] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.id] }).onDelete('cascade'),
    // The migration has `on delete set null ("group_id")`, which drizzle cannot declare: the tenant stays.
    foreignKey({ columns: [t.tenantId, t.groupId], foreignColumns: [machineGroups.tenantId, machineGroups.id] }).onDelete(
      'set null',
    ),
    index('agents_released_idx').on(t.tenantId, t.agentId).where(sql`${t.releasedAt} is not null`),
  ],
)

/** Readings that an agent dropped, and polls that brought nothing, by series and time span; each gap id is stored once. */
export const dataGaps = pgTable(
  'data_gaps',
  {
    /** the id that the agent gave the gap */
    id: uuid('id').notNull(),
    tenantId: tenantId(),
    agentId: text('agent_id').notNull(),
    machineIdentifier: text('machine_identifier').notNull(),
    /** of missed polls; null for dropped readings */
    collector: text('collector'),
    /** both null: missed polls of all tags of the collector */
    metricName: text('metric_name'),
    unit: text('unit'),
    /** timestamps of the first and the last dropped reading, instants of the first and the last missed poll */
    fromAt: instant('from_at').notNull(),
    toAt: instant('to_at').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
    reason: text('reason').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.agentId], foreignColumns: [agents.tenantId, agents.agentId] }).onDelete('cascade'),
    index('data_gaps_machine_idx').on(t.tenantId, t.machineIdentifier, t.fromAt.desc(), t.id.desc()),
  ],
)

/**
 * The series dictionaries that an agent announced, at most 8 and 1 MB of each agent. A row never changes, apart from `used_at`: its name is the hash of
 * its content.
 */
export const agentDictionaries = pgTable(
  'agent_dictionaries',
  {
    tenantId: tenantId(),
    agentId: text('agent_id').notNull(),
    /** 128 bits of the SHA-256 of the content before compression */
    name: bytea('name').notNull(),
    /** compressed with raw deflate */
    content: bytea('content').notNull(),
    /** the last announcement, or use by a hub that did not have it in memory; the oldest are deleted first */
    usedAt: instant('used_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.agentId, t.name] }),
    foreignKey({ columns: [t.tenantId, t.agentId], foreignColumns: [agents.tenantId, agents.agentId] }).onDelete('cascade'),
    index('agent_dictionaries_used_idx').on(t.usedAt),
  ],
)
