import { createHmac } from 'node:crypto'
import type { Pools, TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, Forbidden } from '../../../support/errors.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { reauthenticate } from '../../people/accounts/index.ts'
import { currentSignoffKey } from './evidence-keys.ts'
import { lockWorkOrder } from './lock-work-order.ts'
import { presentNames } from './present-names.ts'
import { canonicalPayload, loadRecord, PAYLOAD_VERSION, type SignoffRow } from './record.ts'

export interface SignoffDeps {
  pools: Pools
  box: SecretBox
}

const MAX_SIGNOFFS = 20

/**
 * Signs a completed work order for the signed-in user, who proves to be there by the password. The locks of the work order and of the
 * tenant's chain make sign-offs of a tenant follow one another.
 * @throws Forbidden `password_wrong`, `password_not_set`; TooManyRequests; NotFound; Conflict `work_order_not_completed`,
 * `too_many_signoffs`, `signoffs_incomplete`
 */
export async function signWorkOrder(
  deps: SignoffDeps,
  scope: TenantScope,
  workOrderId: string,
  password: string,
): Promise<SignoffRow> {
  const passwordHash = await reauthenticate(deps.pools.system, scope, password)
  const { id: keyId, key } = await currentSignoffKey(deps.pools.system, deps.box)
  return scope.tx(async (sql) => {
    const { tenantId } = scope
    const { status } = await lockWorkOrder(sql, scope, workOrderId)
    if (status !== 'completed')
      throw new Conflict(
        'work_order_not_completed',
        `Only a completed work order can be signed; this one is ${status.replace('_', ' ')}.`,
      )
    const [of] = await sql<{ n: number; last: number | null }[]>`
      select count(*)::int as n, max(number) as last from signoffs where tenant_id = ${tenantId} and work_order_id = ${workOrderId}`
    const number = (of?.n ?? 0) + 1
    if ((of?.last ?? 0) !== number - 1) throw incomplete()
    if (number > MAX_SIGNOFFS)
      throw new Conflict('too_many_signoffs', `A work order has at most ${MAX_SIGNOFFS} sign-offs.`, { limit: MAX_SIGNOFFS })
    const signer = await loadSigner(sql, scope, passwordHash)
    const record = await loadRecord(sql, scope, workOrderId)
    const [previous] = await sql<{ hash: string }[]>`
      select signature_hash as hash from signoffs
      where tenant_id = ${tenantId} and work_order_id = ${workOrderId} and number = ${number - 1}`
    const chain = await lockChain(sql, scope)
    const later = await sql`
      select from signoffs where tenant_id = ${tenantId} and sequence > ${chain.sequence} limit 1`
    if (later.length > 0) throw incomplete()
    const now = scope.clock.now()
    const row = {
      id: await newId(sql),
      tenantId,
      workOrderId,
      number,
      sequence: chain.sequence + 1,
      ...signer,
      names: await presentNames(sql, scope, record),
      payloadVersion: PAYLOAD_VERSION,
      keyId,
      previousHash: previous?.hash ?? null,
      tenantPreviousHash: chain.sequence === 0 ? null : chain.headHash,
      signedAt: now,
      createdAt: now,
    }
    const payload = canonicalPayload(record, row)
    const signatureHash = createHmac('sha256', key).update(payload).digest('hex')
    const signed = { ...row, payload, signatureHash }
    await insertSignoff(sql, signed)
    // Streams find the new number of sign-offs by the row of the work order; the time of its last change is not signed.
    await sql`update work_orders set updated_at = ${now} where tenant_id = ${tenantId} and id = ${workOrderId}`
    await sql`
      update signoff_chains set sequence = ${row.sequence}, head_hash = ${signatureHash} where tenant_id = ${tenantId}`
    return signed
  })
}

/** Sign-offs were deleted, or the head of the chain was set back, past the hub: a new one would be invalid from its first moment. */
const incomplete = () =>
  new Conflict(
    'signoffs_incomplete',
    'Sign-offs are missing from the record, so no other can follow. Ask the operator of the hub to run `npm run hub -- signoffs verify`.',
  )

const newId = async (sql: TransactionSql): Promise<string> => {
  const [row] = await sql<[{ id: string }]>`select uuidv7() as id`
  return row.id
}

const insertSignoff = (sql: TransactionSql, row: SignoffRow) => sql`
  insert into signoffs (id, tenant_id, work_order_id, number, sequence, signed_by, signer_name, signer_email, signer_role, names,
    payload_version, payload, key_id, signature_hash, previous_hash, tenant_previous_hash, signed_at, created_at)
  values (${row.id}, ${row.tenantId}, ${row.workOrderId}, ${row.number}, ${row.sequence}, ${row.signedBy}, ${row.signerName},
    ${row.signerEmail}, ${row.signerRole}, ${JSON.stringify(row.names)}::text::jsonb, ${row.payloadVersion}, ${row.payload}, ${row.keyId},
    ${row.signatureHash}, ${row.previousHash}, ${row.tenantPreviousHash}, ${row.signedAt}, ${row.createdAt})`

type Signer = Pick<SignoffRow, 'signedBy' | 'signerName' | 'signerEmail' | 'signerRole'>

/** The signer as he is now, unless the password has changed since it was checked. */
async function loadSigner(sql: TransactionSql, { tenantId, actor }: TenantScope, passwordHash: string): Promise<Signer> {
  const [signer] = await sql<Signer[]>`
    select id as "signedBy", full_name as "signerName", email as "signerEmail", role as "signerRole" from users
    where tenant_id = ${tenantId} and id = ${actor.id} and password_hash = ${passwordHash} and is_active`
  if (!signer) throw new Forbidden('password_wrong', 'The password has just been changed: sign in again.')
  return signer
}

/** Locks the head of the tenant's chain; the first sign-off creates it. */
async function lockChain(sql: TransactionSql, { tenantId }: TenantScope): Promise<{ sequence: number; headHash: string }> {
  await sql`insert into signoff_chains (tenant_id, sequence, head_hash) values (${tenantId}, 0, '') on conflict do nothing`
  const [chain] = await sql<{ sequence: number; headHash: string }[]>`
    select sequence::float8, head_hash as "headHash" from signoff_chains where tenant_id = ${tenantId} for update`
  if (!chain) throw new Error('the chain of sign-offs cannot be locked')
  return chain
}
