import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { canonicalPayload, loadRecord, PAYLOAD_VERSION, SIGNOFF_COLUMNS, type SignoffRow, type WorkRecord } from './record.ts'

export interface Verification {
  isValid: boolean
  /** the check that failed, as a sentence */
  detail: string
}

/** A work order with its sign-offs, oldest first, each with what its verification found. */
export interface VerifiedRecord extends WorkRecord {
  signoffs: (SignoffRow & Verification)[]
}

/** What precedes and follows a sign-off in the tenant's chain. */
interface Chain {
  bySequence: Map<number, SignoffRow>
  head: { sequence: number; headHash: string } | undefined
}

const VALID = 'Valid: work order, instructions and attachments are as they were signed, and the chain of sign-offs is complete.'

/** @throws NotFound for an unknown work order */
export async function verifyWorkOrder(
  sql: TransactionSql,
  scope: Pick<TenantScope, 'tenantId'>,
  workOrderId: string,
  keys: ReadonlyMap<string, KeyObject>,
): Promise<VerifiedRecord> {
  // The sign-offs come first: whatever they signed no longer changes, so the record that is read after them is the signed one.
  const rows = await sql<SignoffRow[]>`
    select ${sql.unsafe(SIGNOFF_COLUMNS)} from signoffs
    where tenant_id = ${scope.tenantId} and work_order_id = ${workOrderId} order by number`
  const record = await loadRecord(sql, scope, workOrderId)
  const chain = await loadChain(sql, scope, rows)
  return { ...record, signoffs: rows.map((row) => ({ ...row, ...verifySignoff(record, row, rows, chain, keys) })) }
}

/** The head is read first: a sign-off that is added meanwhile then appears as the next one. */
async function loadChain(
  sql: TransactionSql,
  { tenantId }: Pick<TenantScope, 'tenantId'>,
  rows: readonly SignoffRow[],
): Promise<Chain> {
  const [head] = await sql<{ sequence: number; headHash: string }[]>`
    select sequence::float8, head_hash as "headHash" from signoff_chains where tenant_id = ${tenantId}`
  const around = rows.flatMap(({ sequence }) => [sequence - 1, sequence, sequence + 1])
  const sequences = [...new Set(around)].filter(Number.isSafeInteger)
  const near = await sql<SignoffRow[]>`
    select ${sql.unsafe(SIGNOFF_COLUMNS)} from signoffs where tenant_id = ${tenantId} and sequence = any(${sequences.map(String)}::bigint[])`
  return { head, bySequence: new Map(near.map((row) => [row.sequence, row])) }
}

function verifySignoff(
  record: WorkRecord,
  row: SignoffRow,
  ofOrder: SignoffRow[],
  chain: Chain,
  keys: ReadonlyMap<string, KeyObject>,
): Verification {
  const fault = signatureFault(record, row, keys) ?? orderChainFault(row, ofOrder) ?? tenantChainFault(row, chain)
  return fault ? { isValid: false, detail: fault } : { isValid: true, detail: VALID }
}

/** Recomputes the HMAC from the record as it is now, and the signer as he was at signing. */
function signatureFault(record: WorkRecord, row: SignoffRow, keys: ReadonlyMap<string, KeyObject>): string | null {
  if (row.payloadVersion !== PAYLOAD_VERSION) return `Payload version: this hub knows no version ${row.payloadVersion}.`
  const key = keys.get(row.keyId)
  if (!key) return `Key: the hub has no usable key ${row.keyId}, so the signature cannot be checked.`
  const payload = canonicalPayload(record, row)
  const changed = changedPaths(parsed(row.payload), JSON.parse(payload))
  if (hasSignature(payload, row.signatureHash, key)) {
    return payload === row.payload ? null : 'Stored payload: it was changed after signing; the record itself was not.'
  }
  if (changed.length === 0) return 'Signature: the stored signature does not belong to this record.'
  const named = changed.slice(0, 5).join(', ')
  return `Record: changed after signing: ${named}${changed.length > 5 ? ` and ${changed.length - 5} more` : ''}.`
}

/** In constant time: how long a comparison takes does not tell how much of a forged signature is right. */
function hasSignature(payload: string, signatureHash: string, key: KeyObject): boolean {
  const computed = Buffer.from(createHmac('sha256', key).update(payload).digest('hex'))
  const stored = Buffer.from(signatureHash)
  return stored.length === computed.length && timingSafeEqual(stored, computed)
}

function orderChainFault(row: SignoffRow, ofOrder: SignoffRow[]): string | null {
  const index = ofOrder.indexOf(row)
  if (ofOrder.some(({ number }, i) => number !== i + 1))
    return 'Chain of the work order: a sign-off of this work order is missing.'
  const previous = ofOrder[index - 1]
  if ((previous?.signatureHash ?? null) !== row.previousHash)
    return 'Chain of the work order: the sign-off before this one was changed or replaced.'
  return null
}

function tenantChainFault(row: SignoffRow, { bySequence, head }: Chain): string | null {
  const [previous, next] = [bySequence.get(row.sequence - 1), bySequence.get(row.sequence + 1)]
  if ((previous?.signatureHash ?? null) !== row.tenantPreviousHash)
    return `Chain of the organisation: sign-off ${row.sequence - 1}, the one before this, is missing or was changed.`
  const isLinked = next
    ? next.tenantPreviousHash === row.signatureHash
    : head?.headHash === row.signatureHash && head.sequence === row.sequence
  return isLinked
    ? null
    : `Chain of the organisation: sign-off ${row.sequence + 1}, the one after this, or the head of the chain is missing or was changed.`
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The paths at which two JSON values differ, such as `work_order.title` or `instructions[0].body`. */
function changedPaths(before: unknown, now: unknown, path = ''): string[] {
  if (Object.is(before, now)) return []
  if (!isContainer(before) || !isContainer(now)) return [path || 'payload']
  if (Array.isArray(before) !== Array.isArray(now)) return [path]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  const at = (key: string) => (Array.isArray(now) ? `${path}[${key}]` : path ? `${path}.${key}` : key)
  return keys.flatMap((key) => changedPaths(before[key], now[key], at(key)))
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
