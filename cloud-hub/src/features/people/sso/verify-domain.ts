import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, Unavailable } from '../../../support/errors.ts'
import { configColumns, findConfig, refusal, type SsoConfigDeps, type SsoConfigRow } from './config.ts'

/** Texts of the TXT records of a name, each in its parts (RFC 1035, 3.3.14); rejects with the codes of node:dns. */
export type ResolveTxt = (name: string) => Promise<string[][]>

/** The TXT record by which a tenant proves that the domain is his: only who runs its DNS can publish it. */
export const challengeOf = ({ domain, domainToken }: SsoConfigRow) => ({
  type: 'TXT' as const,
  name: `_haltless-challenge.${domain}`,
  value: `haltless-domain-verification=${domainToken}`,
})

/** The name does not exist, or has no such record. */
const ABSENT = ['ENOTFOUND', 'ENODATA']

/**
 * Looks for the record of the configuration in the DNS; from then on the domain is the tenant's.
 * @throws NotFound without a configuration, Conflict `domain_unproven`, `domain_taken`, Unavailable when the DNS does not answer
 */
export async function verifyDomain(deps: SsoConfigDeps & { resolveTxt: ResolveTxt }, scope: TenantScope): Promise<SsoConfigRow> {
  const config = await findConfig(scope)
  if (config.domainVerifiedAt) return config
  const proof = deps.config.ssoDomainProof
  if (proof === 'dns') await lookForRecord(deps.resolveTxt, config)
  try {
    const [row] = await scope.rawTx(
      (sql) => sql<SsoConfigRow[]>`
        update sso_configs set domain_verified_at = ${scope.clock.now()}, domain_proof = ${proof}
        where tenant_id = ${scope.tenantId} and domain_token = ${config.domainToken} returning ${configColumns(sql)}`,
    )
    // somebody has changed the domain meanwhile
    return row ?? findConfig(scope)
  } catch (error) {
    throw refusal(error)
  }
}

async function lookForRecord(resolveTxt: ResolveTxt, config: SsoConfigRow): Promise<void> {
  const { name, value } = challengeOf(config)
  const found = await resolveTxt(name).catch((error: NodeJS.ErrnoException) => {
    if (ABSENT.includes(error.code ?? '')) return []
    throw new Unavailable('dns_unavailable', `The DNS cannot be asked for ${name} right now (${error.code}); try again.`)
  })
  const texts = found.map((parts) => parts.join(''))
  if (texts.includes(value)) return
  const seen = texts.length === 0 ? 'there is no TXT record of that name' : 'the TXT records of that name say something else'
  throw new Conflict(
    'domain_unproven',
    `Publish the TXT record ${name} with the text ${value}: ${seen}. New records may take an hour to show.`,
  )
}
