import { randomBytes } from 'node:crypto'
import { generateSecret, generateURI, verify } from 'otplib'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { Clock } from '../../../support/clock.ts'
import { AppError, Conflict, Forbidden, NotFound, Unauthenticated } from '../../../support/errors.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { enqueueIfWanted } from '../../mails/index.ts'
import type { AccountDeps } from './deps.ts'
import { consumeToken, peekToken, type TokenHolder } from './one-time-tokens.ts'
import { findSessionUser, openSession, recordSignIn, type SessionUser, type TokenPair } from './sessions.ts'
import { accountSubject, beginAttempt, ipSubject } from './throttle.ts'

const STEP_SECONDS = 30
const RECOVERY_CODES = 10
const encryptionContext = ({ tenantId, userId }: TokenHolder) => `mfa_secrets/${tenantId}/${userId}`
const codeFor = ({ tenantId, userId }: TokenHolder) => `recovery_codes/${tenantId}/${userId}`

/** `k7d2m-9xqwp`: 49 random bits, without ambiguous letters and digits. */
function recoveryCode(): string {
  const letters = Array.from(randomBytes(10), (byte) => 'abcdefghjkmnpqrstuvwxyz23456789'[byte % 31]).join('')
  return `${letters.slice(0, 5)}-${letters.slice(5)}`
}
/** Normalizes typed codes: any case, with or without dashes and spaces. */
const plain = (code: string) => code.toLowerCase().replace(/[\s-]/g, '')

export interface MfaSetup {
  secret: string
  /** otpauth://totp/..., for authenticator apps */
  uri: string
  /** the same URI as a QR code: a PNG as data URI */
  qrCode: string
  recoveryCodes: string[]
}

const alreadyOn = () => new Conflict('mfa_enabled', 'Two-factor sign-in is already on: switch it off first.')

/** Creates a secret and recovery codes, which become active with `confirmMfa`. @throws Conflict while MFA is on */
export async function setUpMfa(box: SecretBox, scope: TenantScope): Promise<MfaSetup> {
  const { tenantId, actor, clock } = scope
  const holder = { tenantId, userId: actor.id }
  const secret = generateSecret()
  const codes = Array.from({ length: RECOVERY_CODES }, recoveryCode)
  const rows = codes.map((code) => ({ tenant_id: tenantId, user_id: actor.id, code_hash: box.mac(plain(code), codeFor(holder)) }))
  await scope.tx(async (sql) => {
    const [user] = await sql<{ mfaEnabled: boolean }[]>`
      select mfa_enabled as "mfaEnabled" from users where tenant_id = ${tenantId} and id = ${actor.id} for update`
    if (user?.mfaEnabled) throw alreadyOn()
    await deleteMfa(sql, holder)
    await sql`insert into mfa_secrets (tenant_id, user_id, sealed_secret, created_at)
      values (${tenantId}, ${actor.id}, ${box.seal(secret, encryptionContext(holder))}, ${clock.now()})`
    await sql`insert into recovery_codes ${sql(rows)}`
  })
  const uri = generateURI({ issuer: 'Haltless', label: actor.name, secret })
  // only this needs the package: a start of the hub does not load it
  const { toDataURL } = await import('qrcode')
  return { secret, uri, qrCode: await toDataURL(uri, { margin: 2, width: 240 }), recoveryCodes: codes }
}

/** Deletes secret and recovery codes. */
export async function deleteMfa(sql: TransactionSql, { tenantId, userId }: TokenHolder): Promise<void> {
  await sql`delete from mfa_secrets where tenant_id = ${tenantId} and user_id = ${userId}`
  await sql`delete from recovery_codes where tenant_id = ${tenantId} and user_id = ${userId}`
}

/**
 * Uses up a code of the user's authenticator (SHA-1, 6 digits, 30 s, one step of drift; RFC 6238) or a recovery code. Each code
 * works once, also when two requests use it concurrently.
 * @returns whether the code was valid
 */
async function consumeMfaCode(
  sql: TransactionSql,
  box: SecretBox,
  holder: TokenHolder,
  code: string,
  now: Date,
): Promise<boolean> {
  const { tenantId, userId } = holder
  const given = plain(code)
  if (!/^\d{6}$/.test(given)) {
    const used = await sql`
      update recovery_codes set used_at = ${now}
      where tenant_id = ${tenantId} and user_id = ${userId} and code_hash = any(${box.macs(given, codeFor(holder))}) and used_at is null returning 1`
    return used.length === 1
  }
  const [row] = await sql<{ sealed: string }[]>`
    select sealed_secret as sealed from mfa_secrets where tenant_id = ${tenantId} and user_id = ${userId}`
  if (!row) return false
  const secret = box.open(row.sealed, encryptionContext(holder))
  const epoch = Math.floor(now.getTime() / 1000)
  const found = await verify({ secret, token: given, epoch, epochTolerance: STEP_SECONDS })
  if (!found.valid || !('timeStep' in found)) return false
  const fresh = await sql`
    update mfa_secrets set last_step = ${found.timeStep}
    where tenant_id = ${tenantId} and user_id = ${userId} and last_step < ${found.timeStep} returning 1`
  return fresh.length === 1
}

/** Enables MFA with the first code. @throws Conflict when it is on or not set up, `wrong` for a wrong code, TooManyRequests */
export async function confirmMfa(deps: { system: Sql; box: SecretBox }, scope: TenantScope, code: string): Promise<void> {
  const wrong = new AppError(422, 'mfa_code_wrong', WRONG, { errors: [{ path: 'body.code', message: WRONG }] })
  await withCode(deps, scope, code, wrong, async (sql, isEnabled) => {
    if (isEnabled) throw alreadyOn()
    const [secret] = await sql`select 1 from mfa_secrets where tenant_id = ${scope.tenantId} and user_id = ${scope.actor.id}`
    if (!secret) throw new Conflict('mfa_not_set_up', 'Call POST /api/v1/auth/mfa/setup first.')
    return async () => {
      await sql`update mfa_secrets set enabled_at = ${scope.clock.now()} where tenant_id = ${scope.tenantId} and user_id = ${scope.actor.id}`
      await switchMfa(sql, deps.box, scope, true)
    }
  })
}

/** Disables MFA. @throws Conflict when it is off, Forbidden for a wrong code, TooManyRequests */
export async function disableMfa(deps: { system: Sql; box: SecretBox }, scope: TenantScope, code: string): Promise<void> {
  await withCode(deps, scope, code, new Forbidden('mfa_code_wrong', WRONG), async (sql, isEnabled) => {
    if (!isEnabled) throw new Conflict('mfa_disabled', 'Two-factor sign-in is already off.')
    return async () => {
      await deleteMfa(sql, { tenantId: scope.tenantId, userId: scope.actor.id })
      await switchMfa(sql, deps.box, scope, false)
    }
  })
}

async function switchMfa(sql: TransactionSql, box: SecretBox, scope: TenantScope, enabled: boolean): Promise<void> {
  const { tenantId, actor, clock } = scope
  const [user] = await sql<{ email: string; locale: string | null }[]>`
    update users set mfa_enabled = ${enabled} where tenant_id = ${tenantId} and id = ${actor.id} returning email, locale`
  if (!user) throw new NotFound('user', actor.id)
  const params = { enabled, at: clock.now().toISOString() }
  await enqueueIfWanted(sql, box, clock.now(), { tenantId, userId: actor.id, ...user }, 'mfa_changed', params)
}

const WRONG = 'The code is wrong, was used before, or has expired: wait for the next one and check the clock of your device.'

/**
 * Runs a change that requires a code. Wrong codes count towards the lockout of account and network address. `check` runs before
 * the code is verified.
 */
async function withCode(
  { system, box }: { system: Sql; box: SecretBox },
  scope: TenantScope,
  code: string,
  wrong: AppError,
  check: (sql: TransactionSql, isEnabled: boolean) => Promise<() => Promise<void>>,
): Promise<void> {
  const { tenantId, actor, clock } = scope
  const account = accountSubject(actor.name)
  const attempt = await beginAttempt(system, clock, [ipSubject(actor.ip ?? ''), account])
  let isRight = false
  try {
    isRight = await scope.tx(async (sql) => {
      const [user] = await sql<{ isEnabled: boolean }[]>`
        select mfa_enabled as "isEnabled" from users where tenant_id = ${tenantId} and id = ${actor.id} for update`
      const change = await check(sql, user?.isEnabled ?? false)
      if (!(await consumeMfaCode(sql, box, { tenantId, userId: actor.id }, code, clock.now()))) return false
      await change()
      return true
    })
  } catch (error) {
    await attempt.succeeded()
    throw error
  }
  if (!isRight) {
    await attempt.failed()
    throw wrong
  }
  await attempt.succeeded([account])
}

/** Uses up code and pending token together; a wrong code keeps the token. @returns null unless both are valid */
const consumePending = (
  { system, box, clock }: { system: Sql; box: SecretBox; clock: Clock },
  holder: TokenHolder,
  token: string,
  code: string,
): Promise<SessionUser | null> =>
  system.begin(async (sql) => {
    const now = clock.now()
    if (!(await consumeMfaCode(sql, box, holder, code, now))) return null
    if (!(await consumeToken(sql, token, 'mfa_pending', now))) return null
    return (await findSessionUser(sql, holder)) ?? null
  }) as Promise<SessionUser | null>

/**
 * Completes a sign-in with a second factor. Wrong codes count as failures of network address and account.
 * @throws Unauthenticated, TooManyRequests
 */
export async function verifyPending(
  { pools, keys, box, clock }: Omit<AccountDeps, 'config'>,
  token: string,
  code: string,
  from: { ip: string; requestId: string },
): Promise<TokenPair> {
  const pending = await peekToken(pools.system, token, 'mfa_pending', clock.now())
  const account = pending && accountSubject(pending.email)
  const attempt = await beginAttempt(pools.system, clock, [ipSubject(from.ip), ...(account ? [account] : [])])
  const user = pending && (await consumePending({ system: pools.system, box, clock }, pending, token, code))
  if (!user || !account) {
    await attempt.failed()
    throw pending
      ? new Unauthenticated('mfa_code_wrong', 'The code is wrong, was used before, or has expired.')
      : new Unauthenticated('mfa_token_invalid', 'The pending token has expired or was used: sign in again.')
  }
  await attempt.succeeded([account])
  await recordSignIn(pools.system, clock, user, from)
  return openSession(pools.system, keys, clock, user)
}
