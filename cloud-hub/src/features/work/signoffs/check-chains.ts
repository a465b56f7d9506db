import type { KeyObject } from 'node:crypto'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { NotFound } from '../../../support/errors.ts'
import { ANCHORED } from './anchor-chains.ts'
import { instantText, type SignedAttachmentRow } from './record.ts'
import { type Files, fileFault } from './verify-files.ts'
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

/** A work order whose files are compared after the transaction. */
interface SignedFiles {
  workOrderId: string
  attachments: SignedAttachmentRow[]
  /** the sign-offs that are valid as far as the database shows */
  valid: string[]
}

/**
 * Verifies every sign-off of every tenant with its stored files, that no sign-off is missing, and the anchors in the audit trail.
 * @throws StorageAway
 */
export async function checkChains(allTenants: Sql, keys: ReadonlyMap<string, KeyObject>, files: Files): Promise<ChainReport[]> {
  const tenants = await allTenants<{ id: string; name: string }[]>`
    select id, name from tenants t
    where exists (select from signoff_chains c where c.tenant_id = t.id) or exists (select from signoffs s where s.tenant_id = t.id)
      or exists (select from audit_log a where a.tenant_id = t.id and a.action = ${ANCHORED})
    order by name, id`
  const reports: ChainReport[] = []
  for (const tenant of tenants) {
    const { report, signed } = (await allTenants.begin('isolation level repeatable read read only', (sql) =>
      checkChain(sql, tenant, keys),
    )) as Awaited<ReturnType<typeof checkChain>>
    for (const { workOrderId, attachments, valid } of signed) {
      const found = await fileFault(attachments, files)
      if (found) report.faults.push(...valid.map((id) => faultOf(workOrderId, id, found.detail)))
    }
    reports.push(report)
  }
  return reports
}

const faultOf = (workOrderId: string, id: string, detail: string) => `Work order ${workOrderId}, sign-off ${id}: ${detail}`

async function checkChain(
  sql: TransactionSql,
  { id: tenantId, name }: { id: string; name: string },
  keys: ReadonlyMap<string, KeyObject>,
): Promise<{ report: ChainReport; signed: SignedFiles[] }> {
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
  const signed: SignedFiles[] = []
  for (const workOrderId of new Set(links.map((link) => link.workOrderId)))
    signed.push(...(await checkWorkOrder(sql, tenantId, workOrderId, keys, faults)))
  return { report: { tenantId, tenant: name, signoffs: links.length, anchors: anchors.length, faults }, signed }
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

/** Adds what is wrong to `faults`. @returns the files that valid sign-offs signed */
async function checkWorkOrder(
  sql: TransactionSql,
  tenantId: string,
  workOrderId: string,
  keys: ReadonlyMap<string, KeyObject>,
  faults: string[],
): Promise<SignedFiles[]> {
  try {
    const { signoffs, attachments } = await verifyWorkOrder(sql, { tenantId }, workOrderId, keys)
    for (const { id, isValid, detail } of signoffs) if (!isValid) faults.push(faultOf(workOrderId, id, detail))
    const valid = signoffs.filter(({ isValid }) => isValid).map(({ id }) => id)
    return valid.length > 0 && attachments.length > 0 ? [{ workOrderId, attachments, valid }] : []
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    faults.push(`Work order ${workOrderId} was deleted; its sign-offs remain.`)
    return []
  }
}
