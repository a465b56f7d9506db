import { type Fault, fault } from '@haltless/protocol'
import type { ErpRecord } from '../fields.ts'
import { loadRecords } from '../load-records.ts'
import { payloadHash } from '../payload-hash.ts'
import type { ErpSession, PushOutcome } from '../providers/index.ts'
import type { ActiveRun } from './active-run.ts'
import type { FailuresInARow } from './failures-in-a-row.ts'
import { type ClaimedRecord, claimRecords, existingIds, type RecordKey, type Result, saveResults } from './records.ts'
import { type LogEntry, saveLogs } from './sync-log.ts'

/** Ids of one search in the ERP. */
const FIND_LIMIT = 50

const DELETED = fault('erp_record_deleted')
const UNFINISHED = fault('erp_shift_not_ended')
const UNCHANGED = fault('erp_record_unchanged')

/** A record with what the ERP gets of it. */
interface Sendable {
  claimed: ClaimedRecord
  record: ErpRecord
  hash: string
}

/**
 * Sends up to 100 records. Those without an external id are searched in the ERP first, so a record whose answer was lost is not
 * created again.
 */
export async function pushPortion(
  active: ActiveRun,
  key: RecordKey,
  ids: readonly string[],
  failures: FailuresInARow,
): Promise<void> {
  const sendables = await prepare(active, key, ids)
  const known = await findKnown(
    active,
    key,
    sendables.filter(({ claimed }) => claimed.externalId === null).map(({ claimed }) => claimed.id),
  )
  const externalIdOf = ({ claimed }: Sendable) => claimed.externalId ?? known.get(claimed.id) ?? null
  const creates = sendables.filter((one) => externalIdOf(one) === null)
  const updates = sendables.flatMap((one) => {
    const externalId = externalIdOf(one)
    return externalId === null ? [] : [{ ...one, externalId }]
  })
  const existing = await create(active, key, creates, failures)
  await update(active, key, [...updates, ...existing], failures)
}

/** Loads records, and saves the results of those that need not be sent. */
async function prepare(active: ActiveRun, key: RecordKey, ids: readonly string[]): Promise<Sendable[]> {
  const { scope, session, run, lease } = active.deps
  // First the versions, then the values: a change in between leaves the record due.
  const claimed = await scope.read((sql) => claimRecords(sql, key, ids))
  const records = await scope.read((sql) => loadRecords(sql, key.tenantId, key.entity, ids))
  const missing = ids.filter((id) => !records.has(id))
  const existing = missing.length > 0 ? await scope.read((sql) => existingIds(sql, key, missing)) : new Set<string>()
  const [sendables, done, entries]: [Sendable[], Result[], LogEntry[]] = [[], [], []]
  const skip = (one: ClaimedRecord, reason: Fault, isLogged: boolean) => {
    done.push({ kind: 'done', record: one, externalId: null })
    if (isLogged) entries.push(entryOf(one.id, one.externalId, 'skipped', reason))
  }
  for (const one of claimed) {
    const record = records.get(one.id)
    const hash = record && payloadHash(session, record)
    if (!record || !hash) skip(one, existing.has(one.id) ? UNFINISHED : DELETED, !existing.has(one.id) || run.entityId !== null)
    else if (one.externalId !== null && one.sentHash === hash) skip(one, UNCHANGED, run.entityId !== null)
    else sendables.push({ claimed: one, record, hash })
  }
  if (done.length > 0)
    await lease.write(
      async (sql) => {
        await saveResults(sql, key, done, active.now())
        await saveLogs(sql, active.origin, entries, active.now())
      },
      { skipped: done.length },
    )
  return sendables
}

const entryOf = (
  entityId: string,
  externalId: string | null,
  status: LogEntry['status'],
  found: Fault | null,
  outcome?: PushOutcome,
): LogEntry => ({
  entityId,
  externalId,
  status,
  fault: found,
  request: outcome?.request ?? null,
  response: outcome?.response ?? null,
})

async function findKnown(active: ActiveRun, { entity }: RecordKey, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>()
  for (let at = 0; at < ids.length; at += FIND_LIMIT) {
    const some = ids.slice(at, at + FIND_LIMIT)
    const found = await active.call((session, signal) => session.find(entity, some, signal))
    active.hasReachedErp = true
    for (const [id, externalId] of found) known.set(id, externalId)
  }
  return known
}

/** @returns records that the ERP has already, with their external ids */
async function create(
  active: ActiveRun,
  key: RecordKey,
  sendables: readonly Sendable[],
  failures: FailuresInARow,
): Promise<(Sendable & { externalId: string })[]> {
  const existing: (Sendable & { externalId: string })[] = []
  for (const batch of batches(active.deps.session, sendables)) {
    const records = batch.map(({ record }) => record)
    const outcomes = await active.call((session, signal) => session.create(records, signal))
    const refused = batch.filter((_, i) => outcomes[i]?.kind === 'exists')
    await save(active, key, batch, outcomes)
    if (refused.length > 0) existing.push(...(await findExisting(active, key, refused)))
    countFailures(active, outcomes, failures)
  }
  return existing
}

/** Records that the ERP refused to create because it has them. Those that a search does not find fail. */
async function findExisting(active: ActiveRun, key: RecordKey, refused: readonly Sendable[]) {
  const known = await findKnown(
    active,
    key,
    refused.map(({ claimed }) => claimed.id),
  )
  const hidden = refused.filter(({ claimed }) => !known.has(claimed.id))
  const outcome: PushOutcome = { kind: 'rejected', fault: fault('erp_record_hidden'), request: '', response: '' }
  const outcomes = hidden.map(() => outcome)
  await save(active, key, hidden, outcomes)
  return refused.flatMap((one) => {
    const externalId = known.get(one.claimed.id)
    return externalId === undefined ? [] : [{ ...one, externalId }]
  })
}

async function update(
  active: ActiveRun,
  key: RecordKey,
  sendables: readonly (Sendable & { externalId: string })[],
  failures: FailuresInARow,
): Promise<void> {
  for (const batch of batches(active.deps.session, sendables)) {
    const records = batch.map(({ record, externalId }) => ({ record, externalId }))
    const outcomes = await active.call((session, signal) => session.update(records, signal))
    await save(active, key, batch, outcomes)
    countFailures(active, outcomes, failures)
  }
}

function batches<T>({ batchSize }: Pick<ErpSession, 'batchSize'>, all: readonly T[]): T[][] {
  const size = Math.max(1, batchSize)
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}

/** Saves what became of a call. When the hub stops, an answer that did not come is no failure of the record. */
async function save(
  active: ActiveRun,
  key: RecordKey,
  batch: readonly (Sendable & { externalId?: string })[],
  outcomes: readonly PushOutcome[],
): Promise<void> {
  const { lease } = active.deps
  const [results, entries]: [Result[], LogEntry[]] = [[], []]
  batch.forEach(({ claimed, hash, externalId = null }, i) => {
    const outcome = outcomes[i]
    if (!outcome) throw new Error('a provider returned fewer outcomes than records')
    if (outcome.kind === 'exists' || (outcome.kind === 'failed' && lease.signal.aborted)) return
    if (outcome.kind === 'sent') {
      // The id of the create stays, whatever an update answers.
      const id = externalId ?? outcome.externalId
      results.push({ kind: 'sent', hash, record: claimed, externalId: id })
      entries.push(entryOf(claimed.id, id, 'success', null, outcome))
    } else {
      results.push({ kind: 'failed', record: claimed, externalId })
      entries.push(entryOf(claimed.id, externalId, 'failed', outcome.fault, outcome))
    }
  })
  const succeeded = results.filter(({ kind }) => kind === 'sent').length
  if (results.length === 0) return
  await lease.write(
    async (sql) => {
      await saveResults(sql, key, results, active.now())
      await saveLogs(sql, active.origin, entries, active.now())
    },
    { succeeded, failed: results.length - succeeded },
  )
}

function countFailures(active: ActiveRun, outcomes: readonly PushOutcome[], failures: FailuresInARow): void {
  active.deps.lease.assertHeld()
  const last = outcomes.at(-1)
  const isFailed = outcomes.every(({ kind }) => kind === 'failed')
  if (!isFailed) active.hasReachedErp = true
  failures.add(isFailed, last?.kind === 'failed' ? last.fault : null)
}
