import { sql } from 'drizzle-orm'
import { bigint, boolean, foreignKey, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, instant, tenantId } from './common.ts'

export const SUBSCRIPTION_STATUSES = ['active', 'trialing', 'past_due', 'canceled'] as const
export const SUBSCRIPTION_TIERS = ['free', 'pro', 'enterprise'] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]
export type SubscriptionTier = (typeof SUBSCRIPTION_TIERS)[number]

export const tenants = pgTable('tenants', {
  id: id().primaryKey(),
  name: text('name').notNull(),
  subscriptionStatus: text('subscription_status').$type<SubscriptionStatus>().notNull().default('active'),
  subscriptionTier: text('subscription_tier').$type<SubscriptionTier>().notNull().default('free'),
  /**
   * Changes with the tenant's rules and with what flushes know of its machines (triggers of migration 0002 see to it), so that a process knows
   * whether what it remembers of them still holds.
   */
  factsVersion: bigint('facts_version', { mode: 'number' }).notNull().default(0),
  createdAt: createdAt(),
})

export const users = pgTable(
  'users',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    fullName: text('full_name').notNull(),
    /** argon2id; null while invited or when the user only signs in through SSO */
    passwordHash: text('password_hash'),
    role: text('role').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    mfaEnabled: boolean('mfa_enabled').notNull().default(false),
    onboardingCompleted: boolean('onboarding_completed').notNull().default(false),
    lastLoginAt: instant('last_login_at'),
    createdAt: createdAt(),
  },
  // An e-mail address belongs to one user of one tenant, everywhere on the hub, compared without case.
  (t) => [primaryKey({ columns: [t.tenantId, t.id] }), uniqueIndex('users_email_key').on(sql`lower(${t.email})`)],
)

/** A login. Its access tokens name it; ending it ends them all. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    tenantId: tenantId(),
    userId: uuid('user_id').notNull(),
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

/** One row per refresh cookie ever given out for a session; a used one that comes back revokes the session. */
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
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant('last_used_at'),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.id] })],
)

/** Failed attempts by account or address; survives a restart and is shared by replicas. Not a tenant's: the e-mail may be unknown. */
export const loginThrottle = pgTable(
  'login_throttle',
  {
    /** `account:` or `ip:` and a SHA-256 of the e-mail or address */
    subject: text('subject').primaryKey(),
    /** instants of failures inside the window */
    failures: instant('failures').array().notNull(),
    /** attempts under way that have reserved their place before the password is hashed */
    reserved: instant('reserved').array().notNull(),
    lockedUntil: instant('locked_until'),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [index('login_throttle_updated_idx').on(t.updatedAt)],
)

/** The hub's own keys, by name; private parts are sealed under SECRET_KEY. */
export const hubKeys = pgTable('hub_keys', {
  name: text('name').primaryKey(),
  publicKey: text('public_key').notNull(),
  sealedPrivateKey: text('sealed_private_key').notNull(),
  createdAt: createdAt(),
})
