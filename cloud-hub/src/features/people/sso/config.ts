import type { z } from 'zod'
import { columns } from '../../../db/columns.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { ssoConfigs } from '../../../db/tables/sign-in.ts'
import { Conflict, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import type { SsoConfigCreate, SsoConfigPatch } from './schemas.ts'
import { sharedIssuer } from './shared-issuer.ts'

export type SsoConfigRow = typeof ssoConfigs.$inferSelect

const COLUMNS = columns.ssoConfigs
export const configColumns = (sql: TransactionSql) => sql.unsafe(COLUMNS)

const encryptionContext = (tenantId: string) => `sso_configs/${tenantId}`
export const openClientSecret = (box: SecretBox, row: SsoConfigRow): string =>
  box.open(row.sealedClientSecret, encryptionContext(row.tenantId))

async function find(sql: TransactionSql, scope: TenantScope): Promise<SsoConfigRow> {
  const [row] = await sql<
    SsoConfigRow[]
  >`select ${configColumns(sql)} from sso_configs where tenant_id = ${scope.tenantId} for update`
  if (!row) throw new NotFound('sso config')
  return row
}

/** The tenant's configuration. @throws NotFound */
export const findConfig = (scope: TenantScope): Promise<SsoConfigRow> => scope.tx((sql) => find(sql, scope))

/** Locks the configuration until the end of the transaction. */
export const lockConfig = find

export interface SsoConfigDeps {
  /** for the check over all tenants that no other has proven the domain */
  pools: { system: Sql }
  box: SecretBox
  http: GuardedClient
  /** `none`: every claim counts as proven */
  config: { ssoDomainProof: 'dns' | 'none' }
}

/** @throws Conflict when another tenant has proven the domain; an unproven claim does not count */
async function refuseTakenDomain(system: Sql, tenantId: string, domain: string): Promise<void> {
  const claimed = await system`
    select 1 from sso_configs where lower(domain) = ${domain.toLowerCase()} and domain_verified_at is not null and tenant_id <> ${tenantId}`
  if (claimed.length > 0) throw domainTaken()
}
const domainTaken = () =>
  new Conflict('domain_taken', 'Another tenant signs in with this domain: ask the operator of the hub to release it.')

/** The stored proof of a new claim when the hub requires none. */
const proofOfClaim = ({ config }: SsoConfigDeps, now: Date) =>
  config.ssoDomainProof === 'none' ? { domain_verified_at: now, domain_proof: 'none' } : {}

function judge(http: GuardedClient, discoveryUrl: string): void {
  const complaint = http.checkUrl(discoveryUrl)
  if (complaint) throw new Unprocessable([{ path: 'body.discovery_url', ...complaint }])
}

/**
 * Refuses `trust_email` for an issuer that serves many organisations, and for a domain that is not proven.
 * @param path the field that the request changed
 */
function refuseTrust(path: string, discoveryUrl: string, isProven: boolean): void {
  const shared = sharedIssuer(discoveryUrl)
  if (shared !== null) throw new Unprocessable([fieldError(path, 'shared_issuer', { issuer: shared })])
  if (!isProven) throw new Unprocessable([fieldError(path, 'unproven_domain')])
}

export function translateConfigError(error: unknown): unknown {
  if (isUniqueViolation(error, 'sso_configs_domain_key')) return domainTaken()
  if (isUniqueViolation(error))
    return new Conflict('sso_config_exists', 'There is a configuration already: change it with PATCH, or delete it first.')
  return error
}

/**
 * Creates the configuration.
 * @throws Conflict `sso_config_exists`, `domain_taken`; Unprocessable for a blocked address, or trust that is not possible
 */
export async function createConfig(
  deps: SsoConfigDeps,
  scope: TenantScope,
  given: Omit<z.output<typeof SsoConfigCreate>, 'current_password'>,
): Promise<SsoConfigRow> {
  judge(deps.http, given.discovery_url)
  if (given.trust_email) refuseTrust('body.trust_email', given.discovery_url, deps.config.ssoDomainProof === 'none')
  await refuseTakenDomain(deps.pools.system, scope.tenantId, given.domain)
  const now = scope.clock.now()
  const { client_secret, trust_email = false, ...rest } = given
  const values = {
    ...rest,
    trust_email,
    ...proofOfClaim(deps, now),
    tenant_id: scope.tenantId,
    sealed_client_secret: deps.box.seal(client_secret, encryptionContext(scope.tenantId)),
    created_at: now,
    updated_at: now,
  }
  try {
    const [row] = await scope.tx(
      (sql) => sql<SsoConfigRow[]>`insert into sso_configs ${sql(values)} returning ${configColumns(sql)}`,
    )
    return row as SsoConfigRow
  } catch (error) {
    throw translateConfigError(error)
  }
}

type SsoConfigChange = Omit<z.output<typeof SsoConfigPatch>, 'current_password'>

/** Whether the changed configuration trusts addresses. @throws Unprocessable when it must not */
function trustAfter({ config }: SsoConfigDeps, before: SsoConfigRow, change: SsoConfigChange): boolean {
  const isNewDomain = change.domain !== undefined && change.domain !== before.domain.toLowerCase()
  const isProven = config.ssoDomainProof === 'none' || (before.domainVerifiedAt !== null && !isNewDomain)
  // the proof and with it the trust end
  const trustsEmail = change.trust_email ?? (before.trustEmail && isProven)
  const path = change.trust_email === undefined ? 'body.discovery_url' : 'body.trust_email'
  if (trustsEmail) refuseTrust(path, change.discovery_url ?? before.discoveryUrl, isProven)
  return trustsEmail
}

/**
 * Changes the given fields. The client secret is sent only to the provider for which it was entered.
 * @throws NotFound, Conflict `domain_taken`, Unprocessable for a blocked address, a new provider without its secret, or trust that is
 * not possible
 */
export async function changeConfig(deps: SsoConfigDeps, scope: TenantScope, change: SsoConfigChange): Promise<SsoConfigRow> {
  if (change.discovery_url !== undefined) judge(deps.http, change.discovery_url)
  if (change.domain !== undefined) await refuseTakenDomain(deps.pools.system, scope.tenantId, change.domain)
  const { client_secret, ...rest } = change
  try {
    return await scope.tx(async (sql) => {
      const before = await find(sql, scope)
      const isNewTarget =
        change.discovery_url !== undefined && new URL(change.discovery_url).origin !== new URL(before.discoveryUrl).origin
      if (isNewTarget && client_secret === undefined)
        throw new Unprocessable([
          fieldError('body.client_secret', 'secret_of_other_address', {}, 'was entered for another provider: enter it again'),
        ])
      const trustsEmail = trustAfter(deps, before, change)
      const values = {
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
        ...(client_secret === undefined
          ? {}
          : { sealed_client_secret: deps.box.seal(client_secret, encryptionContext(scope.tenantId)) }),
      }
      if (Object.keys(values).length === 0) return before
      const now = scope.clock.now()
      const [row] = await sql<SsoConfigRow[]>`
        update sso_configs set ${sql({ ...values, updated_at: now })} where tenant_id = ${scope.tenantId} returning ${configColumns(sql)}`
      // A new domain needs a new proof, and ends trust in addresses (trigger reset_domain_proof).
      const proof = proofOfClaim(deps, now)
      if (row?.domainVerifiedAt || !('domain_proof' in proof)) return row as SsoConfigRow
      const [proven] = await sql<SsoConfigRow[]>`
        update sso_configs set ${sql({ ...proof, trust_email: trustsEmail })} where tenant_id = ${scope.tenantId} returning ${configColumns(sql)}`
      return proven as SsoConfigRow
    })
  } catch (error) {
    throw translateConfigError(error)
  }
}

/** Deletes the configuration; users keep their accounts, and the domain becomes free. @throws NotFound */
export const deleteConfig = (scope: TenantScope): Promise<void> =>
  scope.tx(async (sql) => {
    await find(sql, scope)
    await sql`delete from sso_configs where tenant_id = ${scope.tenantId}`
  })
