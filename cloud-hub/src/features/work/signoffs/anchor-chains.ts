import type { Sql } from '../../../db/pools.ts'
import type { Logger } from '../../../support/logger.ts'
import { type EventActor, recordEvent } from '../../people/audit/index.ts'

const DAY_MS = 86_400_000
const HUB: EventActor = { kind: 'hub', id: 'hub', name: 'Haltless', ip: null, requestId: null }
/** the action of an anchor in the audit trail */
export const ANCHORED = 'signoff_chain.anchored'

/**
 * Writes the head of each tenant's chain of sign-offs to the audit trail, at most once a day and only when it has grown. No role of the hub
 * can change that entry, so it proves later that the sign-offs up to this one existed.
 */
export async function anchorChains(allTenants: Sql, logger: Logger, now: Date): Promise<void> {
  const before = new Date(now.getTime() - DAY_MS)
  const due = await allTenants<{ tenantId: string }[]>`
    select tenant_id as "tenantId" from signoff_chains
    where sequence > anchored_sequence and (anchored_at is null or anchored_at <= ${before})`
  for (const { tenantId } of due) await anchorChain(allTenants, logger, tenantId, { before, now })
}

async function anchorChain(
  system: Sql,
  logger: Logger,
  tenantId: string,
  { before, now }: { before: Date; now: Date },
): Promise<void> {
  await system.begin(async (sql) => {
    // A sequence that somebody tampered with may be larger than a chain gets; the anchors of other tenants must not fail with it.
    const [chain] = await sql<{ sequence: string; headHash: string }[]>`
      select sequence::text, head_hash as "headHash" from signoff_chains
      where tenant_id = ${tenantId} and sequence > anchored_sequence and (anchored_at is null or anchored_at <= ${before})
      for update skip locked`
    if (!chain) return
    const { headHash } = chain
    const sequence = Number(chain.sequence)
    const [stored] = await sql<{ n: number }[]>`select count(*)::int as n from signoffs where tenant_id = ${tenantId}`
    if (stored?.n !== sequence)
      logger.error(
        { tenant_id: tenantId, sequence, stored: stored?.n },
        'sign-offs are missing: run `npm run hub -- signoffs verify`',
      )
    const target = { type: 'signoff_chain', id: tenantId, name: 'Sign-offs' }
    await recordEvent(sql, tenantId, HUB, ANCHORED, target, { sequence, head_hash: headHash, signoffs: stored?.n })
    await sql`update signoff_chains set anchored_sequence = ${chain.sequence}, anchored_at = ${now} where tenant_id = ${tenantId}`
  })
}
