import { randomUUID } from 'node:crypto'
import type { Actor, TenantScope } from '../../../db/scope.ts'
import { AppError } from '../../../support/errors.ts'
import type { KeyedAnswer, KeyedRequest, OnceDone } from '../../../support/http/idempotency.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { type Claim, claimKey, confirmClaim, releaseKey, storeAnswer } from './claims.ts'
import { RequestTransaction } from './request-transaction.ts'

/** The tokens of a user share a part of the tenant's keys. Each has keys of its own, because one may see less than another. */
const ownerOf = ({ kind, id, tokenId }: Actor & { tokenId?: string }, key: string) => ({
  credential: `${kind}:${id}`,
  key: tokenId ? `${tokenId} ${key}` : key,
})

/** @param box keys the fingerprints of requests */
export const createRunOnce =
  (box: SecretBox) =>
  (scope: TenantScope, request: KeyedRequest, work: (scope: TenantScope) => Promise<KeyedAnswer>): Promise<OnceDone> =>
    runOnce(box, scope, request, work)

/**
 * Does a request once, however often it is sent with its key and whatever is killed meanwhile: its answer commits in the transaction of its
 * changes. A refusal frees the key. A request that calls out has transactions of its own; when the hub stops between its effect
 * and its answer, it is not done again.
 * @param work gets the scope for its changes
 * @returns the answer, and whether it is that of an earlier attempt
 * @throws what `claimKey` and `work` throw
 */
async function runOnce(
  box: SecretBox,
  scope: TenantScope,
  request: KeyedRequest,
  work: (scope: TenantScope) => Promise<KeyedAnswer>,
): Promise<OnceDone> {
  const { tenantId } = scope
  const claim: Claim = { tenantId, ...ownerOf(scope.actor, request.key), claimId: randomUUID() }
  const stored = await claimKey(scope, box, claim, request)
  if (stored) return { answer: stored, isReplay: true }
  const transaction = new RequestTransaction(scope, (sql) => confirmClaim(sql, claim))
  try {
    const answer = await work(request.callsOut ? scope : transaction.scope)
    await transaction.tx((sql) => storeAnswer(sql, claim, answer))
    await transaction.commit()
    return { answer, isReplay: false }
  } catch (error) {
    const isRefusal = error instanceof AppError
    // What a request changed before it was refused stays, as without a key.
    if (isRefusal && transaction.isOpen)
      await transaction
        .tx((sql) => releaseKey(sql, claim))
        .then(
          () => transaction.commit(),
          () => {},
        )
    await transaction.rollback()
    // Otherwise the claim lapses by itself; nobody knows what a request that calls out has done.
    if (isRefusal || !request.callsOut) await scope.tx((sql) => releaseKey(sql, claim)).catch(() => {})
    throw error
  }
}
