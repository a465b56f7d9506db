import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { idempotentRequests } from '../../../db/tables/requests.ts'
import { AppError, Conflict, TooManyRequests } from '../../../support/errors.ts'
import type { KeyedAnswer, KeyedRequest } from '../../../support/http/idempotency.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { claimPlace, type Places } from '../limits/index.ts'

/** How long a key names a request. */
export const KEPT_MS = 24 * 3_600_000
/** What a claim lasts beyond the time limit of its request. */
const SLACK_MS = 5_000
/** What a credential may have of the keys of a tenant, and how many in any case. */
const [SHARE, MIN_SHARE] = [0.1, 100]
/** Longer answers are not stored. */
export const MAX_ANSWER_CHARS = 65_536

/** The right of one attempt to do a request and to store its answer. */
export interface Claim {
  tenantId: string
  credential: string
  key: string
  claimId: string
}

type Row = Pick<
  typeof idempotentRequests.$inferSelect,
  'fingerprint' | 'claimId' | 'claimedUntil' | 'status' | 'answer' | 'createdAt'
>

const ofKey = (sql: TransactionSql, { tenantId, credential, key }: Claim) =>
  sql`tenant_id = ${tenantId} and credential = ${credential} and key = ${key}`

const inUse = () =>
  new AppError(
    409,
    'idempotency_key_in_use',
    'A request with this Idempotency-Key is under way: wait a moment, and send it again for its answer.',
    {},
    { 'retry-after': '1' },
  )

/**
 * Claims a key for an attempt, until its time limit.
 * @returns the stored answer; null: the attempt may do the work
 * @throws AppError `idempotency_key_reused`, `idempotency_key_in_use`, `idempotency_outcome_unknown`, `idempotency_answer_too_large`,
 * `too_many_idempotency_keys`, `tenant_limit`
 */
export const claimKey = (scope: TenantScope, box: SecretBox, claim: Claim, request: KeyedRequest): Promise<KeyedAnswer | null> =>
  scope.tx(async (sql) => {
    // A body may hold a password, which a plain hash would give away to who guesses it.
    const context = `idempotent-request:${claim.tenantId}:${claim.credential}:${claim.key}`
    const now = scope.clock.now()
    const until = new Date(now.getTime() + request.seconds * 1_000 + SLACK_MS)
    const { tenantId, credential, key, claimId } = claim
    const [row] = await sql<Row[]>`
      select fingerprint, claim_id as "claimId", claimed_until as "claimedUntil", status, answer, created_at as "createdAt"
      from idempotent_requests where ${ofKey(sql, claim)}`
    const isKept = row && row.createdAt.getTime() > now.getTime() - KEPT_MS
    if (isKept) {
      const stored = answerOf(row, box.macs(request.content, context))
      if (stored) return stored
      if (row.claimedUntil > now) throw inUse()
      if (request.callsOut) throw outcomeUnknown()
    }
    const fingerprint = box.mac(request.content, context)
    if (row) {
      // an attempt that has outlived its claim holds the row while it ends
      const free = await sql`
        select 1 from idempotent_requests where ${ofKey(sql, claim)} and claim_id = ${row.claimId} and status is not distinct from ${row.status}
        for update skip locked`
      if (free.length === 0) throw inUse()
      await sql`
        update idempotent_requests set fingerprint = ${fingerprint}, claim_id = ${claimId}, claimed_until = ${until},
          status = null, answer = null, created_at = ${isKept ? row.createdAt : now}
        where ${ofKey(sql, claim)}`
      return null
    }
    await refuseBeyondShare(sql, claim, await claimPlace(sql, scope, 'idempotency_keys'), now)
    const inserted = await sql`
      insert into idempotent_requests (tenant_id, credential, key, fingerprint, claim_id, claimed_until, created_at)
      values (${tenantId}, ${credential}, ${key}, ${fingerprint}, ${claimId}, ${until}, ${now})
      on conflict do nothing returning 1`
    if (inserted.length === 0) throw inUse()
    return null
  })

/**
 * Nobody uses up the keys of a whole tenant: a person has a tenth of them, the tokens of a user together another one.
 * @throws TooManyRequests
 */
async function refuseBeyondShare(
  sql: TransactionSql,
  { tenantId, credential }: Claim,
  { used, limit }: Places,
  now: Date,
): Promise<void> {
  const share = limit === null ? Number.POSITIVE_INFINITY : Math.max(MIN_SHARE, Math.ceil(limit * SHARE))
  // not counted while the tenant has fewer, as it mostly has
  if (used < share) return
  const [oldest] = await sql<{ createdAt: Date }[]>`
    select created_at as "createdAt" from idempotent_requests
    where tenant_id = ${tenantId} and credential = ${credential} and created_at > ${new Date(now.getTime() - KEPT_MS)}
    order by created_at desc offset ${share - 1} limit 1`
  if (!oldest) return
  throw new TooManyRequests(
    'too_many_idempotency_keys',
    `This credential, with other tokens of its account, has used ${share} Idempotency-Keys within 24 hours, as many as it may: send the request later, or without a key.`,
    (oldest.createdAt.getTime() + KEPT_MS - now.getTime()) / 1_000,
    {},
    { limit: share },
  )
}

/**
 * The stored answer of a request; null: it has none yet.
 * @param fingerprints of the request, by each key that the stored one may be by
 * @throws AppError
 */
function answerOf(row: Row, fingerprints: readonly string[]): KeyedAnswer | null {
  if (!fingerprints.includes(row.fingerprint))
    throw new AppError(
      422,
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request within the last 24 hours: choose a new key for each request.',
    )
  if (row.status === null) return null
  if (row.answer === null && row.status !== 204)
    throw new Conflict(
      'idempotency_answer_too_large',
      'The request was done, but its answer was too large to store: read what it has changed.',
    )
  return { status: row.status, body: row.answer }
}

const outcomeUnknown = () =>
  new Conflict(
    'idempotency_outcome_unknown',
    'The hub stopped in the middle of this request, and calls to other systems may have been made: check what happened, and send it with a new key if needed.',
  )

/** Locks the row of the claim until the end of the transaction. @throws Conflict when another attempt has claimed the key since */
export async function confirmClaim(sql: TransactionSql, claim: Claim): Promise<void> {
  const mine = await sql`
    select 1 from idempotent_requests where ${ofKey(sql, claim)} and claim_id = ${claim.claimId} and status is null for no key update`
  if (mine.length === 0) throw inUse()
}

/** Stores the answer; the claim ends with it. */
export const storeAnswer = (sql: TransactionSql, claim: Claim, { status, body }: KeyedAnswer) => sql`
  update idempotent_requests set status = ${status}, answer = ${body !== null && body.length > MAX_ANSWER_CHARS ? null : body}
  where ${ofKey(sql, claim)} and claim_id = ${claim.claimId}`

/** Frees the key. */
export const releaseKey = (sql: TransactionSql, claim: Claim) => sql`
  delete from idempotent_requests where ${ofKey(sql, claim)} and claim_id = ${claim.claimId} and status is null`
