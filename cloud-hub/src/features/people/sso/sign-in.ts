import { createHash, timingSafeEqual } from 'node:crypto'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { actorSetting } from '../../../db/scope.ts'
import type { Clock } from '../../../support/clock.ts'
import { Forbidden, Unauthenticated } from '../../../support/errors.ts'
import { sha256 } from '../../../support/secrets/hash.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import type { SessionUser } from '../accounts/index.ts'
import { lockPlaces } from '../limits/index.ts'
import type { ProviderUser } from './claims.ts'
import { configColumns, type SsoConfigRow } from './config.ts'
import type { LoginChecks } from './provider.ts'

/** Time limit of a sign-in at the provider. */
const LOGIN_SECONDS = 600

/** The configuration for the domain of an e-mail address; null without one, or when the domain is unproven. */
export async function configFor(allTenants: Sql, email: string): Promise<SsoConfigRow | null> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const [row] = await allTenants<SsoConfigRow[]>`
    select ${configColumns(allTenants as never)} from sso_configs
    where lower(domain) = ${domain} and domain_verified_at is not null`
  return row ?? null
}

const encryptionContext = (stateHash: string) => `sso_logins/${stateHash}`

/** Stores a pending sign-in under its `state`. @param browser a secret of the browser that starts it */
export async function storePendingLogin(
  deps: { system: Sql; box: SecretBox; clock: Clock },
  tenantId: string,
  checks: LoginChecks,
  browser: string,
): Promise<void> {
  const now = deps.clock.now()
  const stateHash = sha256(checks.state)
  const sealed = deps.box.seal(JSON.stringify({ ...checks, browserHash: sha256(browser) }), encryptionContext(stateHash))
  await deps.system`insert into sso_logins (state_hash, tenant_id, sealed_checks, created_at, expires_at)
    values (${stateHash}, ${tenantId}, ${sealed}, ${now}, ${new Date(now.getTime() + LOGIN_SECONDS * 1000)})`
}

/**
 * Uses up the pending sign-in of a `state`. A browser, recognised by its fetch metadata, must be the one that started it.
 * Otherwise a link could sign a user in to another account.
 * @throws Unauthenticated
 */
export async function consumePendingLogin(
  deps: { system: Sql; box: SecretBox; clock: Clock },
  state: string,
  browser: { isOne: boolean; secret: string | undefined },
): Promise<{ config: SsoConfigRow; checks: LoginChecks }> {
  const refused = () =>
    new Unauthenticated('sso_state_invalid', 'This sign-in has expired or was already completed: start again.')
  const stateHash = sha256(state)
  const { system: allTenants } = deps
  const [row] = await allTenants<{ tenantId: string; sealed: string; expiresAt: Date }[]>`
    delete from sso_logins where state_hash = ${stateHash} returning tenant_id as "tenantId", sealed_checks as sealed, expires_at as "expiresAt"`
  if (!row || row.expiresAt <= deps.clock.now()) throw refused()
  const { browserHash, ...checks } = JSON.parse(deps.box.open(row.sealed, encryptionContext(stateHash))) as LoginChecks & {
    browserHash: string
  }
  if (browser.isOne && !timingSafeEqual(hash(browser.secret ?? ''), Buffer.from(browserHash, 'hex'))) throw refused()
  const [config] = await deps.system<SsoConfigRow[]>`
    select ${configColumns(deps.system as never)} from sso_configs where tenant_id = ${row.tenantId} and domain_verified_at is not null`
  if (!config) throw refused()
  return { config, checks }
}
const hash = (text: string) => createHash('sha256').update(text).digest()

interface LocalUser extends SessionUser {
  isActive: boolean
}

/**
 * Finds or creates the user for a provider's user: by subject, else by a verified e-mail address of the configured domain, else
 * as a new viewer. Only users of the configuration's own tenant are linked.
 * @throws Forbidden `email_claim_missing`, `email_not_verified`, `email_domain_not_allowed`, `email_of_other_tenant`, `no_place_for_user`,
 * `user_deactivated`
 */
export async function signInProviderUser(
  deps: { system: Sql; clock: Clock },
  config: SsoConfigRow,
  who: ProviderUser,
  from: { ip: string; requestId: string },
): Promise<SessionUser> {
  const work = () =>
    deps.system.begin(async (sql) => {
      const user = (await findLinked(sql, config, who)) ?? (await linkByEmail(sql, config, who, from, deps.clock.now()))
      if (!user.isActive)
        throw new Forbidden('user_deactivated', 'Your account was deactivated: ask an administrator of your company.')
      return { tenantId: user.tenantId, userId: user.userId, email: user.email, role: user.role }
    }) as Promise<SessionUser>
  try {
    return await work()
  } catch (error) {
    // Concurrent first sign-ins of one user: the second finds the rows of the first.
    if (isUniqueViolation(error)) return work()
    throw error
  }
}

const userColumns = (sql: TransactionSql) =>
  sql`u.tenant_id as "tenantId", u.id as "userId", u.email, u.role, u.is_active and not u.is_service as "isActive"`

async function findLinked(sql: TransactionSql, config: SsoConfigRow, who: ProviderUser): Promise<LocalUser | undefined> {
  const [user] = await sql<LocalUser[]>`
    select ${userColumns(sql)} from sso_identities i join users u on u.tenant_id = i.tenant_id and u.id = i.user_id
    where i.tenant_id = ${config.tenantId} and i.issuer = ${who.issuer} and i.subject = ${who.subject}`
  return user
}

async function linkByEmail(
  allTenants: TransactionSql,
  config: SsoConfigRow,
  who: ProviderUser,
  from: { ip: string; requestId: string },
  now: Date,
): Promise<LocalUser> {
  const { email } = who
  if (email === null)
    throw new Forbidden(
      'email_claim_missing',
      `${config.providerName} sent no e-mail address: the claim email is missing in the ID token and at the userinfo endpoint.`,
    )
  if (!who.isEmailVerified)
    throw new Forbidden('email_not_verified', `${config.providerName} has not verified your e-mail address.`)
  if (email.slice(email.lastIndexOf('@') + 1).toLowerCase() !== config.domain.toLowerCase())
    throw new Forbidden('email_domain_not_allowed', `Only addresses of ${config.domain} sign in here; yours is ${email}.`, {
      domain: config.domain,
    })
  const actor = { kind: 'user', id: who.subject, name: email, ip: from.ip, requestId: from.requestId }
  await allTenants`select set_config('app.actor', ${actorSetting(actor)}, true)`
  const [known] = await allTenants<
    LocalUser[]
  >`select ${userColumns(allTenants)} from users u where lower(u.email) = ${email.toLowerCase()}`
  if (known && known.tenantId !== config.tenantId)
    throw new Forbidden('email_of_other_tenant', 'This e-mail address has an account at another company on this hub.')
  if (known?.isActive)
    await allTenants`update users set is_invited = false where tenant_id = ${known.tenantId} and id = ${known.userId} and is_invited`
  const user = known ?? (await createViewer(allTenants, config, email, who.name, now))
  await allTenants`insert into sso_identities (tenant_id, user_id, issuer, subject, created_at)
    values (${config.tenantId}, ${user.userId}, ${who.issuer}, ${who.subject}, ${now})`
  return user
}

async function createViewer(
  sql: TransactionSql,
  config: SsoConfigRow,
  email: string,
  name: string | null,
  now: Date,
): Promise<LocalUser> {
  const { free, limit } = await lockPlaces(sql, config, 'users')
  if (free < 1)
    throw new Forbidden(
      'no_place_for_user',
      'Your company has no place left for another user: ask an administrator of your company.',
      {
        limit: limit ?? 0,
      },
    )
  const fullName = (name?.trim() || (email.split('@')[0] as string)).slice(0, 200)
  const [user] = await sql<LocalUser[]>`
    insert into users as u (tenant_id, email, full_name, role, created_at) values (${config.tenantId}, ${email}, ${fullName}, 'viewer', ${now})
    returning ${userColumns(sql)}`
  return user as LocalUser
}
