import type { KeyObject } from 'node:crypto'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { tenantDb } from '../../../db/tenant-db.ts'
import { NotFound } from '../../../support/errors.ts'
import { ANCHORED } from './anchor-chains.ts'
import { instantText } from './record.ts'
import { verifyWorkOrder } from './verify-signoffs.ts'

export interface ChainReport {
  tenantId: string
  tenant: string
  signoffs: number
  /** entries of the audit trail that the chain was compared with */
  anchors: number
  faults: string[]
}

interface Link {
  id: string
  workOrderId: string
  sequence: number
  signatureHash: string
}

/** Verifies every sign-off of every tenant, that no sign-off is missing, and the anchors in the audit trail. */
export async function checkChains(allTenants: Sql, keys: ReadonlyMap<string, KeyObject>): Promise<ChainReport[]> {
  const tenants = await allTenants<{ id: string; name: string }[]>`
    select id, name from tenants t
    where exists (select from signoff_chains c where c.tenant_id = t.id) or exists (select from signoffs s where s.tenant_id = t.id)
      or exists (select from audit_log a where a.tenant_id = t.id and a.action = ${ANCHORED})
    order by name, id`
  const reports: ChainReport[] = []
  for (const tenant of tenants)
    reports.push(
      (await allTenants.begin('isolation level repeatable read read only', (sql) =>
        checkChain(sql, tenant, keys),
      )) as ChainReport,
    )
  return reports
}

async function checkChain(
  sql: TransactionSql,
  { id: tenantId, name }: { id: string; name: string },
  keys: ReadonlyMap<string, KeyObject>,
): Promise<ChainReport> {
  const links = await sql<Link[]>`
    select id, work_order_id as "workOrderId", sequence::float8, signature_hash as "signatureHash" from signoffs
    where tenant_id = ${tenantId} order by sequence`
  const anchors = await sql<{ sequence: number; headHash: string; at: Date }[]>`
    select coalesce(after -> 'sequence', 'null') as sequence, after ->> 'head_hash' as "headHash", at from audit_log
    where tenant_id = ${tenantId} and action = ${ANCHORED} order by at`
  const faults: string[] = []
  const [head] = await sql<{ sequence: number }[]>`select sequence::float8 from signoff_chains where tenant_id = ${tenantId}`
  const bySequence = new Map(links.map((link) => [link.sequence, link]))
  const anchored = anchors.map(({ sequence }) => sequence).filter(Number.isSafeInteger)
  faults.push(...gaps(bySequence, Math.max(head?.sequence ?? 0, ...anchored)))
  for (const { sequence, headHash, at } of anchors)
    if (bySequence.get(sequence)?.signatureHash !== headHash)
      faults.push(`Sign-off ${sequence} is not the one that the audit trail recorded on ${instantText(at).slice(0, 10)}.`)
  for (const workOrderId of new Set(links.map((link) => link.workOrderId)))
    faults.push(...(await invalidSignoffs(sql, tenantId, workOrderId, keys)))
  return { tenantId, tenant: name, signoffs: links.length, anchors: anchors.length, faults }
}

/** What is missing between the sign-offs that exist, and up to the end of the chain. */
function gaps(bySequence: ReadonlyMap<number, Link>, length: number): string[] {
  const faults: string[] = []
  let next = 1
  const report = (end: number) => {
    if (end === next) faults.push(`Sign-off ${next} is missing: it or its whole work order was deleted.`)
    if (end > next) faults.push(`Sign-offs ${next} to ${end} are missing: they or their whole work orders were deleted.`)
  }
  for (const sequence of bySequence.keys()) {
    report(sequence - 1)
    next = Math.max(next, sequence + 1)
  }
  report(length)
  return faults
}

async function invalidSignoffs(
  sql: TransactionSql,
  tenantId: string,
  workOrderId: string,
  keys: ReadonlyMap<string, KeyObject>,
): Promise<string[]> {
  try {
    const { signoffs } = await verifyWorkOrder(tenantDb(sql), { tenantId }, workOrderId, keys)
    return signoffs
      .filter(({ isValid }) => !isValid)
      .map(({ id, detail }) => `Work order ${workOrderId}, sign-off ${id}: ${detail}`)
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    return [`Work order ${workOrderId} was deleted; its sign-offs remain.`]
  }
}
