import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { AccessTokenKind, BaseTier, ReportSchedule } from '../enums.ts'
import type { SubscriptionStatus, SubscriptionTier } from '../subscriptions.ts'
import { createdAt, id, instant, tenantId } from './common.ts'

export const tenants = pgTable(
  'tenants',
  {
    id: id().primaryKey(),
    name: text('name').notNull(),
    subscriptionStatus: text('subscription_status').$type<SubscriptionStatus>().notNull().default('active'),
    subscriptionTier: text('subscription_tier').$type<SubscriptionTier>().notNull().default('free'),
    /**
     * Version of the tenant's rules, machines and tag mappings, increased by triggers. A process checks it before
     * it uses its cache of them.
     */
    factsVersion: bigint('facts_version', { mode: 'number' }).notNull().default(0),
    /** the tenant has confirmed tag mappings, so flushes look tags up; maintained by triggers together with the version */
    hasTagMappings: boolean('has_tag_mappings').notNull().default(false),
    /** category to unit, chosen ones only; others have the default of `UNITS` */
    unitPreferences: jsonb('unit_preferences').$type<Record<string, string>>().notNull().default({}),
    /** toggle to boolean, chosen ones only; others are on */
    emailPrefs: jsonb('email_prefs').$type<Record<string, boolean>>().notNull().default({}),
    /** the IANA zone of the plant: recurrences and shifts follow its local time */
    timeZone: text('time_zone').notNull().default('UTC'),
    /** the hub starts and completes shift logs by the definitions */
    autoShiftLogs: boolean('auto_shift_logs').notNull().default(false),
    /** when the job of automatic shift logs examines the tenant next; triggers make it due when its shifts change */
    shiftLogsDueAt: instant('shift_logs_due_at').notNull().default(sql`'1970-01-01T00:00:00Z'`),
    /** facts of predictions may go to the configured language model */
    narrativesEnabled: boolean('narratives_enabled').notNull().default(false),
    /** users without a second factor reach only its set-up, unless they signed in through SSO */
    requireMfa: boolean('require_mfa').notNull().default(false),
    /** retention of readings and their statistics; null: the hub's settings */
    rawRetentionDays: integer('raw_retention_days'),
    minuteRetentionDays: integer('minute_retention_days'),
    hourRetentionDays: integer('hour_retention_days'),
    /** limits that the operator has set, by kind; null: none. A kind that is missing has the default of `LIMITS`. */
    limits: jsonb('limits').$type<Record<string, number | null>>().notNull().default({}),
    createdAt: createdAt(),
  },
  (t) => [index('tenants_shift_logs_due_idx').on(t.shiftLogsDueAt).where(sql`${t.autoShiftLogs}`)],
)

/** What a tenant has of each kind that `tenants.limits` limits. Triggers count it (`count_use.sql`); a kind without a row is 0. */
export const tenantUsage = pgTable(
  'tenant_usage',
  {
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    kind: text('kind').notNull(),
    used: bigint('used', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.kind] })],
)

/** Built-in roles, created with the tenant by a trigger, and custom roles, which have the rights of their `base_tier`. */
export const roles = pgTable(
  'roles',
  {
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    /** a slug that does not change when the role is renamed */
    key: text('key').notNull(),
    name: text('name').notNull(),
    baseTier: text('base_tier').$type<BaseTier>().notNull(),
    isBuiltin: boolean('is_builtin').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.key] }), uniqueIndex('roles_name_key').on(t.tenantId, sql`lower(${t.name})`)],
)

export const users = pgTable(
  'users',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    fullName: text('full_name').notNull(),
    /** argon2id; null while invited, or when the user signs in only through SSO */
    passwordHash: text('password_hash'),
    /** the `key` of a role of this tenant */
    role: text('role').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    /** true until the user accepts the invitation; an invited user cannot sign in */
    isInvited: boolean('is_invited').notNull().default(false),
    /** a service account: programs act as it with access tokens, and nobody signs in as it; its address receives nothing */
    isService: boolean('is_service').notNull().default(false),
    /** of a service account: the person who answers for it and gets its mails, perhaps deactivated since; null for a person */
    responsibleId: uuid('responsible_id'),
    phone: text('phone'),
    /** an IANA zone such as Europe/Berlin */
    timezone: text('timezone'),
    /** a BCP 47 tag such as `de`; the language of mails, if supported */
    locale: text('locale'),
    reportSchedule: text('report_schedule').$type<ReportSchedule>(),
    reportEmails: text('report_emails').array().notNull().default([]),
    /** what the time of the next report follows from has changed; a trigger sets it, the job of reports clears it */
    isReportStale: boolean('is_report_stale').notNull().default(false),
    mfaEnabled: boolean('mfa_enabled').notNull().default(false),
    onboardingCompleted: boolean('onboarding_completed').notNull().default(false),
    /** metrics that the overview shows this user first, the first one first */
    pinnedMetrics: text('pinned_metrics').array().notNull().default([]),
    lastLoginAt: instant('last_login_at'),
    createdAt: createdAt(),
  },
  // An e-mail address belongs to one user on the whole hub, compared case-insensitively.
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    uniqueIndex('users_email_key').on(sql`lower(${t.email})`),
    // A role in use cannot be deleted.
    foreignKey({ name: 'users_role_fk', columns: [t.tenantId, t.role], foreignColumns: [roles.tenantId, roles.key] }),
    index('users_role_idx').on(t.tenantId, t.role),
    index('users_report_stale_idx').on(t.tenantId, t.id).where(sql`${t.isReportStale}`),
    check(
      'users_service_check',
      sql`not ${t.isService} or (${t.passwordHash} is null and not ${t.isInvited} and not ${t.mfaEnabled})`,
    ),
  ],
)

/** When a user's next report is due; recreated when the schedule changes. */
export const reportTurns = pgTable(
  'report_turns',
  {
    tenantId: tenantId(),
    userId: uuid('user_id').notNull(),
    schedule: text('schedule').$type<ReportSchedule>().notNull(),
    dueAt: instant('due_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
    index('report_turns_due_idx').on(t.dueAt),
    index('report_turns_schedule_idx').on(t.schedule, t.dueAt),
  ],
)

/** A session after sign-in. Its access tokens name it; ending it invalidates them all. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    tenantId: tenantId(),
    userId: uuid('user_id').notNull(),
    /** the sign-in was through the identity provider, which is responsible for the second factor */
    isSso: boolean('is_sso').notNull().default(false),
    /** the time of the sign-in; a refresh does not change it */
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
    revokedAt: instant('revoked_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
    index('sessions_user_idx').on(t.tenantId, t.userId),
    index('sessions_expires_idx').on(t.expiresAt),
  ],
)

/** Every refresh cookie issued for a session; reuse of an old one revokes the session. */
export const refreshTokens = pgTable(
  'refresh_tokens',
  {
    /** SHA-256 of the cookie's value, hex */
    tokenHash: text('token_hash').primaryKey(),
    tenantId: tenantId(),
    sessionId: uuid('session_id').notNull(),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
    usedAt: instant('used_at'),
  },
  (t) => [
    foreignKey({ columns: [t.tenantId, t.sessionId], foreignColumns: [sessions.tenantId, sessions.id] }).onDelete('cascade'),
    index('refresh_tokens_session_idx').on(t.tenantId, t.sessionId),
  ],
)

export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** the public 8 characters after `hk_` */
    prefix: text('prefix').notNull().unique(),
    /** SHA-256 of the whole key, hex (256 random bits need no slow hash) */
    keyHash: text('key_hash').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    /** the user who created the key, or the enrolment key or credential that a credential was exchanged for */
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant('last_used_at'),
    /** a credential of an enrolled agent: valid for this agent_id only; null for a plain API key */
    agentId: text('agent_id'),
    /** the first use of a credential, which revoked the one before; null while it is pending, and for a plain API key */
    activatedAt: instant('activated_at'),
    /** when a credential was revoked; the newest one says since when its agent is released */
    revokedAt: instant('revoked_at'),
    /** the enrolment key that the first credential of an agent came from */
    enrolmentKeyId: uuid('enrolment_key_id'),
    /** the group of that enrolment key, which the agent gets with its first heartbeat; null: none. The group may be deleted since. */
    groupId: uuid('group_id'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    uniqueIndex('api_keys_pending_key')
      .on(t.tenantId, t.agentId)
      .where(sql`${t.agentId} is not null and ${t.isActive} and ${t.activatedAt} is null`),
    uniqueIndex('api_keys_activated_key')
      .on(t.tenantId, t.agentId)
      .where(sql`${t.agentId} is not null and ${t.isActive} and ${t.activatedAt} is not null`),
    index('api_keys_agent_idx').on(t.tenantId, t.agentId).where(sql`${t.agentId} is not null`),
    index('api_keys_revoked_idx').on(t.revokedAt).where(sql`${t.agentId} is not null and not ${t.isActive}`),
  ],
)

/**
 * Credentials with which a program acts as a member. The member's present role bounds each of them, and `scopes` narrow it. `kind` is `token`
 * so far; a display of a hall would be another kind, as is anything that acts as an account within scopes, groups and addresses.
 */
export const accessTokens = pgTable(
  'access_tokens',
  {
    id: id(),
    tenantId: tenantId(),
    kind: text('kind').$type<AccessTokenKind>().notNull(),
    /** as whom it acts: a person, or a service account */
    userId: uuid('user_id').notNull(),
    name: text('name').notNull(),
    /** the public 8 characters after `ht_` */
    prefix: text('prefix').notNull().unique(),
    /** SHA-256 of the whole token, hex (256 random bits need no slow hash) */
    tokenHash: text('token_hash').notNull(),
    /** such as `machines:read` */
    scopes: text('scopes').array().notNull(),
    /** it sees machines of these groups and of those below them only; null: all machines. A group may be deleted since. */
    groupIds: uuid('group_ids').array(),
    /** addresses or CIDR ranges from which it is valid; null: all */
    sourceAddresses: text('source_addresses').array(),
    /** false once it was revoked, and soon after it expired */
    isActive: boolean('is_active').notNull().default(true),
    /** the person who made it */
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
    revokedAt: instant('revoked_at'),
    /** to about a minute */
    lastUsedAt: instant('last_used_at'),
    /** warnings of its expiry that were mailed, or that its life is too short for */
    warnings: integer('warnings').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
    index('access_tokens_user_idx').on(t.tenantId, t.userId),
    index('access_tokens_expires_idx').on(t.expiresAt),
    index('access_tokens_revoked_idx').on(t.revokedAt).where(sql`${t.revokedAt} is not null`),
  ],
)

/** Keys that enrol one agent each: `POST /agent/enroll` exchanges one for a credential. The first use of that credential uses it up. */
export const enrolmentKeys = pgTable(
  'enrolment_keys',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** the public 8 characters after `he_` */
    prefix: text('prefix').notNull().unique(),
    /** SHA-256 of the whole key, hex */
    keyHash: text('key_hash').notNull(),
    /** the only agent_id that it enrols; null: any that is not enrolled */
    agentId: text('agent_id'),
    /** the group that the agent gets; null: none. The deletion of the group clears it, but not on a hub of the version before. */
    groupId: uuid('group_id'),
    expiresAt: instant('expires_at').notNull(),
    usedAt: instant('used_at'),
    usedByAgent: text('used_by_agent'),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.id] }), index('enrolment_keys_expires_idx').on(t.expiresAt)],
)

/**
 * Failed sign-ins by account or address, kept over restarts and shared by replicas. Not tenant-owned, because the e-mail address
 * may be unknown.
 */
export const loginThrottle = pgTable(
  'login_throttle',
  {
    /** `account:` or `ip:` and a SHA-256 of the e-mail or address */
    subject: text('subject').primaryKey(),
    /** times of failures inside the window */
    failures: instant('failures').array().notNull(),
    /** attempts in progress, which reserve a slot before the password is hashed */
    reserved: instant('reserved').array().notNull(),
    lockedUntil: instant('locked_until'),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [index('login_throttle_updated_idx').on(t.updatedAt)],
)

/**
 * Mails to unconfirmed addresses and channel tests of the last day, by subject (claim_sending). Kept over restarts and shared by
 * replicas.
 */
export const sendingQuotas = pgTable(
  'sending_quotas',
  {
    /** `tenant:`, `address:` or `tenant-address:`, ids and SHA-256 of addresses */
    subject: text('subject').primaryKey(),
    /** times, ascending */
    sent: instant('sent').array().notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [index('sending_quotas_updated_idx').on(t.updatedAt)],
)

/** The hub's own keys, by name; private keys are encrypted under SECRET_KEY. */
export const hubKeys = pgTable('hub_keys', {
  name: text('name').primaryKey(),
  publicKey: text('public_key').notNull(),
  sealedPrivateKey: text('sealed_private_key').notNull(),
  createdAt: createdAt(),
})
