import { createHmac } from 'node:crypto'
import { and, count, eq, gt, max, sql } from 'drizzle-orm'
import type { Pools } from '../../../db/pools.ts'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { users } from '../../../db/tables/accounts.ts'
import { signoffChains, signoffs } from '../../../db/tables/signoffs.ts'
import { workOrders } from '../../../db/tables/work-orders.ts'
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
  return scope.tx(async (db) => {
    const { status } = await lockWorkOrder(db, scope, workOrderId)
    if (status !== 'completed')
      throw new Conflict(
        'work_order_not_completed',
        `Only a completed work order can be signed; this one is ${status.replace('_', ' ')}.`,
      )
    const ofOrder = and(owned(signoffs, scope), eq(signoffs.workOrderId, workOrderId))
    const [of] = await db
      .select({ n: count(), last: max(signoffs.number) })
      .from(signoffs)
      .where(ofOrder)
    const number = (of?.n ?? 0) + 1
    if ((of?.last ?? 0) !== number - 1) throw incomplete()
    if (number > MAX_SIGNOFFS)
      throw new Conflict('too_many_signoffs', `A work order has at most ${MAX_SIGNOFFS} sign-offs.`, { limit: MAX_SIGNOFFS })
    const signer = await loadSigner(db, scope, passwordHash)
    const record = await loadRecord(db, scope, workOrderId)
    const previous = await db
      .select({ hash: signoffs.signatureHash })
      .from(signoffs)
      .where(and(ofOrder, eq(signoffs.number, number - 1)))
      .then(first)
    const chain = await lockChain(db, scope)
    const isAfter = and(owned(signoffs, scope), gt(signoffs.sequence, chain.sequence))
    if ((await db.select({ id: signoffs.id }).from(signoffs).where(isAfter).limit(1)).length > 0) throw incomplete()
    const now = scope.clock.now()
    const row = {
      id: await newId(db),
      tenantId: scope.tenantId,
      workOrderId,
      number,
      sequence: chain.sequence + 1,
      ...signer,
      names: await presentNames(db, scope, record),
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
    await db.insert(signoffs).values(signed)
    // Streams find the new number of sign-offs by the row of the work order; the time of its last change is not signed.
    await db
      .update(workOrders)
      .set({ updatedAt: now })
      .where(and(owned(workOrders, scope), eq(workOrders.id, workOrderId)))
    await db.update(signoffChains).set({ sequence: row.sequence, headHash: signatureHash }).where(owned(signoffChains, scope))
    return signed
  })
}

/** Sign-offs were deleted, or the head of the chain was set back, past the hub: a new one would be invalid from its first moment. */
const incomplete = () =>
  new Conflict(
    'signoffs_incomplete',
    'Sign-offs are missing from the record, so no other can follow. Ask the operator of the hub to run `npm run hub -- signoffs verify`.',
  )

const newId = async (db: TenantDb): Promise<string> => {
  const [row] = await db.execute<{ id: string }>(sql`select uuidv7() as id`)
  return (row as { id: string }).id
}

/** The signer as he is now, unless the password has changed since it was checked. */
async function loadSigner(db: TenantDb, scope: TenantScope, passwordHash: string) {
  const isSigner = and(owned(users, scope), eq(users.id, scope.actor.id), eq(users.passwordHash, passwordHash), users.isActive)
  const signer = await db
    .select({ signedBy: users.id, signerName: users.fullName, signerEmail: users.email, signerRole: users.role })
    .from(users)
    .where(isSigner)
    .then(first)
  if (!signer) throw new Forbidden('password_wrong', 'The password has just been changed: sign in again.')
  return signer
}

/** Locks the head of the tenant's chain; the first sign-off creates it. */
async function lockChain(db: TenantDb, scope: TenantScope): Promise<{ sequence: number; headHash: string }> {
  await db.insert(signoffChains).values({ tenantId: scope.tenantId, sequence: 0, headHash: '' }).onConflictDoNothing()
  const chain = await db.select().from(signoffChains).where(owned(signoffChains, scope)).for('update').then(first)
  if (!chain) throw new Error('the chain of sign-offs cannot be locked')
  return chain
}
