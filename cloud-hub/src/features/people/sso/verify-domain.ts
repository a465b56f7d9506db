import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, Unavailable } from '../../../support/errors.ts'
import { configColumns, findConfig, type SsoConfigDeps, type SsoConfigRow, translateConfigError } from './config.ts'

/** The TXT records of a name, each as its parts (RFC 1035, 3.3.14); rejects with the codes of node:dns. */
export type ResolveTxt = (name: string) => Promise<string[][]>

/** The TXT record that proves the tenant's control of the domain: only its DNS operator can publish it. */
export const challengeOf = ({ domain, domainToken }: SsoConfigRow) => ({
  type: 'TXT' as const,
  name: `_haltless-challenge.${domain}`,
  value: `haltless-domain-verification=${domainToken}`,
})

/** The name does not exist, or has no such record. */
const ABSENT = ['ENOTFOUND', 'ENODATA']

/**
 * Checks the DNS for the configuration's record. When it is found, the domain belongs to the tenant.
 * @throws NotFound without a configuration, Conflict `domain_unproven`, `domain_taken`, Unavailable when the DNS does not answer
 */
export async function verifyDomain(deps: SsoConfigDeps & { resolveTxt: ResolveTxt }, scope: TenantScope): Promise<SsoConfigRow> {
  const config = await findConfig(scope)
  if (config.domainVerifiedAt) return config
  const proof = deps.config.ssoDomainProof
  if (proof === 'dns') await lookForRecord(deps.resolveTxt, config)
  try {
    const [row] = await scope.tx(
      (sql) => sql<SsoConfigRow[]>`
        update sso_configs set domain_verified_at = ${scope.clock.now()}, domain_proof = ${proof}
        where tenant_id = ${scope.tenantId} and domain_token = ${config.domainToken} returning ${configColumns(sql)}`,
    )
    // Another request has changed the domain since.
    return row ?? findConfig(scope)
  } catch (error) {
    throw translateConfigError(error)
  }
}

async function lookForRecord(resolveTxt: ResolveTxt, config: SsoConfigRow): Promise<void> {
  const { name, value } = challengeOf(config)
  const found = await resolveTxt(name).catch((error: NodeJS.ErrnoException) => {
    if (ABSENT.includes(error.code ?? '')) return []
    throw new Unavailable('dns_unavailable', `The DNS query for ${name} failed (${error.code}); try again.`)
  })
  const texts = found.map((parts) => parts.join(''))
  if (texts.includes(value)) return
  const seen = texts.length === 0 ? 'there is no TXT record of that name' : 'the TXT records of that name say something else'
  throw new Conflict(
    'domain_unproven',
    `Publish the TXT record ${name} with the text ${value}: ${seen}. New records may take an hour to show.`,
  )
}
