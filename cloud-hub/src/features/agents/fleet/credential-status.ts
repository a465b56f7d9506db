import type { Sql } from '../../../db/pools.ts'

export type CredentialStatus = 'enrolled' | 'released' | 'api_key'

/** How an agent identifies itself. @param isEnrolled whether it has a credential that is not revoked */
export const credentialStatus = ({ releasedAt }: { releasedAt: Date | null }, isEnrolled: boolean): CredentialStatus =>
  isEnrolled ? 'enrolled' : releasedAt ? 'released' : 'api_key'

/** The released agents of all tenants, as `{tenant_id}/{agent_id}`. Their index holds no others. */
export async function releasedAgents(allTenants: Sql): Promise<Set<string>> {
  const rows = await allTenants<{ name: string }[]>`
    select tenant_id || '/' || agent_id as name from agents where released_at is not null`
  return new Set(rows.map(({ name }) => name))
}
