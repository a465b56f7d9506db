import { sql } from 'drizzle-orm'
import { bigint, boolean, foreignKey, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { DOMAIN_PROOFS, TokenPurpose } from '../enums.ts'
import { tenants, users } from './accounts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'

/** Single-use tokens for links in mails and for steps between two pages. */
export const oneTimeTokens = pgTable(
  'one_time_tokens',
  {
    /** SHA-256 of the token, hex */
    tokenHash: text('token_hash').primaryKey(),
    tenantId: tenantId(),
    userId: uuid('user_id').notNull(),
    purpose: text('purpose').$type<TokenPurpose>().notNull(),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
    usedAt: instant('used_at'),
  },
  (t) => [
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
    index('one_time_tokens_user_idx').on(t.tenantId, t.userId, t.purpose),
    index('one_time_tokens_expires_idx').on(t.expiresAt),
  ],
)

/** A user's authenticator; active once `enabled_at` is set, as is `users.mfa_enabled`. */
export const mfaSecrets = pgTable(
  'mfa_secrets',
  {
    tenantId: tenantId(),
    userId: uuid('user_id').notNull(),
    /** the TOTP secret, encrypted under SECRET_KEY and bound to the user */
    sealedSecret: text('sealed_secret').notNull(),
    /** the last accepted time step (Unix seconds / 30), so that a code works once */
    lastStep: bigint('last_step', { mode: 'number' }).notNull().default(0),
    enabledAt: instant('enabled_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
  ],
)

/** Ten codes per user, each accepted once in place of a TOTP code. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    tenantId: tenantId(),
    userId: uuid('user_id').notNull(),
    /** keyed hash (hex) of the code without dashes: 49 bits are too few for a plain hash */
    codeHash: text('code_hash').notNull(),
    usedAt: instant('used_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId, t.codeHash] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
  ],
)

/** A tenant's identity provider (OIDC). */
export const ssoConfigs = pgTable(
  'sso_configs',
  {
    tenantId: tenantId()
      .primaryKey()
      .references(() => tenants.id, { onDelete: 'cascade' }),
    providerName: text('provider_name').notNull(),
    clientId: text('client_id').notNull(),
    sealedClientSecret: text('sealed_client_secret').notNull(),
    discoveryUrl: text('discovery_url').notNull(),
    /** lower case; e-mail addresses of this domain sign in here */
    domain: text('domain').notNull(),
    /**
     * the tenant proves the domain by publishing this in its DNS; a trigger renews it and clears the proof when the domain
     * changes
     */
    domainToken: text('domain_token')
      .notNull()
      .default(sql`replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`),
    /** null: the claim is unproven, has no effect and does not block other tenants */
    domainVerifiedAt: instant('domain_verified_at'),
    domainProof: text('domain_proof').$type<(typeof DOMAIN_PROOFS)[number]>(),
    /**
     * an address counts as verified where the provider says nothing about it; only for a proven domain and an issuer of one
     * organisation, so it ends with the proof
     */
    trustEmail: boolean('trust_email').notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('sso_configs_domain_key').on(sql`lower(${t.domain})`).where(sql`${t.domainVerifiedAt} is not null`),
    index('sso_configs_claims_idx').on(sql`lower(${t.domain})`),
  ],
)

/** The user of a provider's subject, since the first sign-in. */
export const ssoIdentities = pgTable(
  'sso_identities',
  {
    id: id(),
    tenantId: tenantId(),
    userId: uuid('user_id').notNull(),
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.id] }).onDelete('cascade'),
    uniqueIndex('sso_identities_subject_key').on(t.tenantId, t.issuer, t.subject),
  ],
)

/** A pending sign-in at the provider: valid for 10 minutes, single use. */
export const ssoLogins = pgTable(
  'sso_logins',
  {
    /** SHA-256 of `state`, hex */
    stateHash: text('state_hash').primaryKey(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    /** nonce and PKCE verifier as JSON, encrypted under SECRET_KEY and bound to the state */
    sealedChecks: text('sealed_checks').notNull(),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('sso_logins_expires_idx').on(t.expiresAt)],
)
