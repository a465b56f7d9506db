import type { Fault, SignedRelease } from '@haltless/protocol'
import { sql } from 'drizzle-orm'
import { bigint, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { agents } from './agents.ts'
import { bytea, createdAt, id, instant, tenantId } from './common.ts'

/** Versions of the agent that the operator of the hub added. They belong to no tenant. */
export const agentReleases = pgTable('agent_releases', {
  version: text('version').primaryKey(),
  sequence: bigint('sequence', { mode: 'number' }).notNull().unique(),
  release: jsonb('release').$type<SignedRelease>().notNull(),
  addedAt: instant('added_at').notNull(),
})

/** The archives of releases, in pieces of {@link PIECE_BYTES}, so that every hub has them, and backups too. */
export const agentReleasePieces = pgTable(
  'agent_release_pieces',
  {
    version: text('version')
      .notNull()
      .references(() => agentReleases.version, { onDelete: 'cascade' }),
    platform: text('platform').notNull(),
    /** from 0 */
    piece: integer('piece').notNull(),
    content: bytea('content').notNull(),
  },
  (t) => [primaryKey({ columns: [t.version, t.platform, t.piece] })],
)

/** ```
 * running <-> paused, running -> stopped (too many failures) -> running
 * running -> completed; running, paused, stopped -> cancelled
 * ``` */
export type RolloutState = 'running' | 'paused' | 'stopped' | 'completed' | 'cancelled'

/** A version on its way to some agents of a tenant, wave by wave. */
export const agentRollouts = pgTable(
  'agent_rollouts',
  {
    id: id(),
    tenantId: tenantId(),
    version: text('version').notNull(),
    waveSizes: integer('wave_sizes').array().notNull(),
    stopAfterFailures: integer('stop_after_failures').notNull(),
    spreadSeconds: integer('spread_seconds').notNull(),
    state: text('state').$type<RolloutState>().notNull(),
    /** why it stopped */
    reason: text('reason'),
    /** the same as a fault */
    fault: jsonb('fault').$type<Fault>(),
    /** of those whose agents are ordered the update, the newest; from 1 */
    wave: integer('wave').notNull(),
    waveBeganAt: instant('wave_began_at').notNull(),
    /** since it began, or was resumed after it had stopped */
    failures: integer('failures').notNull().default(0),
    createdBy: text('created_by').notNull(),
    createdAt: createdAt(),
    endedAt: instant('ended_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.id] }).onDelete('cascade'),
    index('agent_rollouts_newest_idx').on(t.tenantId, t.createdAt.desc(), t.id.desc()),
    index('agent_rollouts_open_idx').on(t.id).where(sql`${t.endedAt} is null`),
    index('agent_rollouts_ended_idx').on(t.endedAt),
  ],
)

/** The states of an agent in a rollout: before its wave, those that it reports, and how it can end without a report. */
export type RolloutAgentState =
  | 'pending'
  | 'announced'
  | 'waiting'
  | 'downloading'
  | 'verified'
  | 'switched'
  | 'confirmed'
  | 'rolled_back'
  | 'refused'
  | 'failed'
  | 'skipped'
  | 'cancelled'

/** An agent of a rollout. An agent is open in one rollout at a time. */
export const agentRolloutAgents = pgTable(
  'agent_rollout_agents',
  {
    tenantId: tenantId(),
    rolloutId: uuid('rollout_id').notNull(),
    agentId: text('agent_id').notNull(),
    /** from 1; 0 for one that was skipped */
    wave: integer('wave').notNull(),
    state: text('state').$type<RolloutAgentState>().notNull(),
    since: instant('since').notNull(),
    reason: text('reason'),
    /** the same as a fault; null of an older agent */
    fault: jsonb('fault').$type<Fault>(),
    fromVersion: text('from_version').notNull(),
    receivedBytes: bigint('received_bytes', { mode: 'number' }),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.rolloutId, t.agentId] }),
    foreignKey({ columns: [t.tenantId, t.rolloutId], foreignColumns: [agentRollouts.tenantId, agentRollouts.id] }).onDelete(
      'cascade',
    ),
    foreignKey({ columns: [t.tenantId, t.agentId], foreignColumns: [agents.tenantId, agents.agentId] }).onDelete('cascade'),
    index('agent_rollout_agents_wave_idx').on(t.tenantId, t.rolloutId, t.wave),
    uniqueIndex('agent_rollout_agents_open_key')
      .on(t.tenantId, t.agentId)
      .where(sql`${t.state} in ('pending', 'announced', 'waiting', 'downloading', 'verified', 'switched')`),
    index('agent_rollout_agents_updating_idx').on(t.since).where(sql`${t.state} in ('downloading', 'verified', 'switched')`),
  ],
)
