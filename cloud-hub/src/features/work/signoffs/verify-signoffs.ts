import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type Fault, fault } from '@haltless/protocol'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { canonicalPayload, loadRecord, PAYLOAD_VERSION, SIGNOFF_COLUMNS, type SignoffRow, type WorkRecord } from './record.ts'

export interface Verification {
  isValid: boolean
  /** the check that failed, as a sentence */
  detail: string
  /** the same by code; null: it is valid */
  fault: Fault | null
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

/** Fields that a sentence names. */
const MAX_NAMED = 5
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
  const found = signatureFault(record, row, keys) ?? orderChainFault(row, ofOrder) ?? tenantChainFault(row, chain)
  return found ? { isValid: false, detail: found.detail, fault: found } : { isValid: true, detail: VALID, fault: null }
}

/** Recomputes the HMAC from the record as it is now, and the signer as he was at signing. */
function signatureFault(record: WorkRecord, row: SignoffRow, keys: ReadonlyMap<string, KeyObject>): Fault | null {
  if (row.payloadVersion !== PAYLOAD_VERSION) return fault('signoff_payload_version', { version: row.payloadVersion })
  const key = keys.get(row.keyId)
  if (!key) return fault('signoff_key_missing', { key: row.keyId })
  const payload = canonicalPayload(record, row)
  const changed = changedPaths(parsed(row.payload), JSON.parse(payload))
  if (hasSignature(payload, row.signatureHash, key)) {
    return payload === row.payload ? null : fault('signoff_payload_changed')
  }
  if (changed.length === 0) return fault('signoff_signature_foreign')
  const fields = changed.slice(0, MAX_NAMED).join(', ')
  const count = changed.length - MAX_NAMED
  return count > 0 ? fault('signoff_more_changed', { fields, count }) : fault('signoff_record_changed', { fields })
}

/** In constant time: how long a comparison takes does not tell how much of a forged signature is right. */
function hasSignature(payload: string, signatureHash: string, key: KeyObject): boolean {
  const computed = Buffer.from(createHmac('sha256', key).update(payload).digest('hex'))
  const stored = Buffer.from(signatureHash)
  return stored.length === computed.length && timingSafeEqual(stored, computed)
}

function orderChainFault(row: SignoffRow, ofOrder: SignoffRow[]): Fault | null {
  const index = ofOrder.indexOf(row)
  if (ofOrder.some(({ number }, i) => number !== i + 1)) return fault('signoff_order_incomplete')
  const previous = ofOrder[index - 1]
  if ((previous?.signatureHash ?? null) !== row.previousHash) return fault('signoff_order_changed')
  return null
}

function tenantChainFault(row: SignoffRow, { bySequence, head }: Chain): Fault | null {
  const [previous, next] = [bySequence.get(row.sequence - 1), bySequence.get(row.sequence + 1)]
  if ((previous?.signatureHash ?? null) !== row.tenantPreviousHash)
    return fault('signoff_chain_before', { number: row.sequence - 1 })
  const isLinked = next
    ? next.tenantPreviousHash === row.signatureHash
    : head?.headHash === row.signatureHash && head.sequence === row.sequence
  return isLinked ? null : fault('signoff_chain_after', { number: row.sequence + 1 })
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
