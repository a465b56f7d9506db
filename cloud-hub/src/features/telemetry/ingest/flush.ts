import type { Rejection } from '@haltless/protocol'
import { dbError } from '../../../db/errors.ts'
import { type Sql, type TransactionSql, together } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import { openAlerts } from '../../alerting/alerts/index.ts'
import { makeConditions, OUT_OF_DATE, saveComposites, saveConditions } from '../../alerting/rules/index.ts'
import type { DeliveryWorker } from '../../delivery/notifications/index.ts'
import { followReadings } from '../../plant/machines/index.ts'
import type { Mark, ReadingStore } from '../readings/index.ts'
import { confirm, hold } from './hold.ts'
import {
  addComposites,
  afterwards,
  judgeComposites,
  judgeStoredComposites,
  outOfTurn,
  watchedComposites,
} from './judge-composites.ts'
import { judge, lateAround, learned, newestByMachine, type Verdicts, watchedIn, withOlderReadings } from './judge-flush.ts'
import {
  type Asked,
  type Composites,
  ConditionsMissing,
  distinctSeries,
  firstPlaces,
  type Known,
  lookUp,
  TagsMatter,
  unknownMachines,
} from './look-up.ts'
import { flushMemory, type Remembered } from './memory.ts'
import type { Request } from './request.ts'
import { judgeByBaselines, type SortedFlush, sortReadings } from './sort-readings.ts'

/** Stores the readings of many requests in one transaction. @returns the rejections of each request, in its own indexes */
export type Flush = (requests: readonly Request[]) => Promise<Rejection[][]>

export interface FlushDeps {
  ingest: Sql
  clock: Clock
  store: ReadingStore
  /** how often baselines are computed anew */
  baselineIntervalSeconds: number
  machineOfflineAfterSeconds: number
  /** the delivery worker of this process; null where it has none */
  worker: DeliveryWorker | null
}

/** What was missing is made outside, what was out of date is asked anew: once is enough unless things change at that very moment. */
const MAX_TRIES = 5
/** check_violation: a partition that was there has been dropped by retention */
const NO_PARTITION = '23514'
/** foreign_key_violation: what a row belongs to, such as a channel, was deleted while this flush wrote it */
const OWNER_GONE = '23503'

/**
 * One flush: readings, conditions, alerts, deliveries and machine states commit together. Locks are taken in one order everywhere (rules
 * of a tenant, conditions, keys, readings, latest, machines; sorted by key within each), so that flushes cannot deadlock.
 *
 * Two round trips when nothing is new and nothing late: what has to be known, then everything that is written together with the commit. One
 * when this process remembers what has to be known.
 */
export function createFlush(deps: FlushDeps): Flush {
  const memory = flushMemory(deps.baselineIntervalSeconds)
  /** tenants that have, or had, confirmed tag mappings */
  const mappedTenants = new Set<string>()
  return async (requests) => {
    let asked = distinctSeries(requests, mappedTenants)
    for (let attempt = 1; ; attempt++) {
      for (const { submission } of requests) await deps.store.prepare(submission.columns.timestamps)
      const committed = Promise.withResolvers<void>()
      committed.promise.catch(() => {})
      try {
        const remembered = memory.recall(asked, deps.clock.now())
        const flushOn = (tx: TransactionSql) => ({ tx, deps, requests, asked, committed: committed.promise })
        const atOnce =
          remembered && (await together(deps.ingest, 'begin', async (tx) => writeRemembered(flushOn(tx), remembered)))
        const { rejections, known, composites } = atOnce ?? (await deps.ingest.begin((tx) => lookUpAndWrite(flushOn(tx))))
        committed.resolve()
        memory.keep(asked, known, composites)
        return rejections
      } catch (error) {
        committed.reject(error)
        memory.forget(asked)
        if (error instanceof TagsMatter) {
          for (const tenantId of error.tenantIds) mappedTenants.add(tenantId)
          asked = distinctSeries(requests, mappedTenants)
          continue
        }
        const code = dbError(error)?.code
        const isAskedAnew =
          code === OUT_OF_DATE || code === NO_PARTITION || code === OWNER_GONE || error instanceof ConditionsMissing
        if (!isAskedAnew || attempt >= MAX_TRIES) throw error
        if (error instanceof ConditionsMissing) await makeConditions(deps.ingest, error.keys)
        else await deps.store.learn()
      }
    }
  }
}

/** A flush between its BEGIN and its COMMIT. */
interface OpenFlush {
  tx: TransactionSql
  deps: FlushDeps
  requests: readonly Request[]
  asked: Asked
  committed: Promise<void>
}

/** What was asked, once its names are known: by request and series index the place, and by place the one it goes by. */
interface Placed {
  places: readonly (readonly number[])[]
  first: readonly number[]
}

function placed(asked: Asked, known: Known): Placed {
  const first = firstPlaces(asked, known)
  return {
    first,
    places: asked.tagged.size > 0 ? asked.places.map((own) => own.map((place) => first[place] as number)) : asked.places,
  }
}

/** The rejections of each request, and what is known once the flush has committed. */
interface Written {
  rejections: Rejection[][]
  known: Known
  composites: Composites
}

/** Live readings of what is remembered, without asking anything. Null when it is not that simple, and then nothing was sent. */
function writeRemembered(flush: OpenFlush, remembered: Remembered): Promise<Written> | null {
  const { tx, requests, asked } = flush
  if (requests.some(({ submission }) => submission.keys)) return null
  const { known, versions, composites } = remembered
  const at = placed(asked, known)
  const readings = sortReadings(requests, known, at.places)
  judgeByBaselines(readings, known)
  const watched = watchedIn(known, readings)
  const combined = watchedComposites(known, readings, composites)
  if (withOlderReadings(readings, watched).size > 0 || outOfTurn(readings, combined).size > 0) return null
  const late = flush.deps.store.lateHours(readings)
  hold(tx, [...versions.keys()])
  confirm(tx, versions, late.oldest)
  const now = flush.deps.clock.now()
  const verdicts = judge(readings, watched, now)
  saveConditions(tx, verdicts.changed, true)
  const limitMs = flush.deps.machineOfflineAfterSeconds * 1_000
  const standing = addComposites(verdicts, judgeComposites(readings, combined, limitMs), now)
  saveComposites(tx, now, limitMs, standing, true)
  return write(flush, now, known, at, readings, verdicts, afterwards(composites, standing), late.marks)
}

async function lookUpAndWrite(flush: OpenFlush): Promise<Written> {
  const { tx, deps, requests, asked } = flush
  hold(
    tx,
    requests.map((r) => r.tenantId),
  )
  const now = deps.clock.now()
  const { known, composites } = await lookUp(tx, asked, now)
  const at = placed(asked, known)
  const repeats = await rememberKeys(tx, requests, at.places, known, now)
  const readings = sortReadings(requests, known, at.places, repeats)
  judgeByBaselines(readings, known)
  const watched = watchedIn(known, readings)
  const combined = watchedComposites(known, readings, composites)
  const older = new Set([...withOlderReadings(readings, watched), ...outOfTurn(readings, combined)])
  const around = await lateAround(tx, readings, watched, older)
  const late = deps.store.lateHours(readings)
  confirm(tx, new Map(), late.oldest)
  const fresh = older.size > 0 ? await deps.store.append(tx, readings, late.marks, older) : new Set<number>()
  const verdicts = judge(readings, watched, now, { spans: older, fresh, around })
  saveConditions(tx, verdicts.changed, false)
  const limitMs = deps.machineOfflineAfterSeconds * 1_000
  const judged = await judgeStoredComposites(tx, readings, combined, limitMs, { spans: older, fresh })
  const standing = addComposites(verdicts, judged, now)
  saveComposites(tx, now, limitMs, standing, false)
  return write(flush, now, known, at, readings, verdicts, afterwards(composites, standing), older.size > 0 ? null : late.marks)
}

/** Sends what is written, and waits for none of it: a failure fails the transaction. */
async function write(
  { tx, deps, requests, committed }: OpenFlush,
  now: Date,
  known: Known,
  { places, first }: Placed,
  readings: SortedFlush,
  verdicts: Verdicts,
  composites: Composites,
  /** null: the readings are stored already */
  marks: readonly Mark[] | null,
): Promise<Written> {
  const rejections = requests.map((request, r) => unknownMachines(request, places[r] as readonly number[], known))
  if (readings.spans.length === 0) return { rejections, known, composites }
  const { worker } = deps
  // before the readings: while those are stored, what is to be delivered is made ready
  openAlerts(tx, now, verdicts.raised, verdicts.cleared, worker ? (alerts) => worker.lease(alerts, committed) : undefined)
  if (marks) await deps.store.append(tx, readings, marks, new Set())
  followReadings(tx, now, deps.machineOfflineAfterSeconds, newestByMachine(known, readings))
  const after = learned(known, readings, verdicts)
  return { rejections, known: first.map((place) => after[place] as Known[number]), composites }
}

/**
 * Notes the idempotency keys of a flush for 7 days.
 * @returns for each request the indexes of readings that repeat a key: they count as accepted and are not stored
 */
async function rememberKeys(
  tx: TransactionSql,
  requests: readonly Request[],
  places: readonly (readonly number[])[],
  known: Known,
  now: Date,
): Promise<(Set<number> | undefined)[]> {
  const firstUse = new Map<string, { tenantId: string; key: string; r: number; i: number }>()
  const repeats: (Set<number> | undefined)[] = []
  const repeat = (r: number, i: number) => {
    repeats[r] ??= new Set()
    repeats[r].add(i)
  }
  requests.forEach(({ tenantId, submission }, r) => {
    submission.keys?.forEach((key, i) => {
      if (!key || !known[places[r]?.[submission.columns.seriesIndex[i] as number] as number]) return
      const name = `${tenantId} ${key}`
      if (firstUse.has(name)) repeat(r, i)
      else firstUse.set(name, { tenantId, key, r, i })
    })
  })
  if (firstUse.size === 0) return repeats
  const all = [...firstUse.values()]
  const stored = await tx<{ name: string }[]>`
    insert into reading_keys (tenant_id, key, seen_at)
    select t, k, ${now} from unnest(${all.map((a) => a.tenantId)}::uuid[], ${all.map((a) => a.key)}::uuid[]) n(t, k) order by 1, 2
    on conflict do nothing returning tenant_id || ' ' || key as name`
  const fresh = new Set(stored.map((row) => row.name))
  for (const [name, { r, i }] of firstUse) if (!fresh.has(name)) repeat(r, i)
  return repeats
}
