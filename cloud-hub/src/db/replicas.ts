import { randomUUID } from 'node:crypto'
import { WIRE_VERSIONS } from '@haltless/protocol'
import type { PendingQuery, Row } from 'postgres'
import { repeat } from '../support/jobs.ts'
import type { Logger } from '../support/logger.ts'
import type { SecretBox } from '../support/secrets/secret-box.ts'
import { followDatabaseKey } from './identity.ts'
import type { Sql } from './pools.ts'
import { purge } from './purge.ts'

const CHANNEL = 'haltless_replicas'
const ANNOUNCE_SECONDS = 2
/** A replica without an announcement for this long counts as gone. */
const SILENT_SECONDS = 10

/** The hubs that share a database. */
export interface Replicas {
  /** of this hub, for as long as the process runs */
  id: string
  isAlone(): boolean
  /** whether all hubs seen in the last hour read `reading_arrivals`: one of an older version would miss what is there */
  allReadArrivals(): boolean
  /** removes this hub from the list and notifies the others */
  leave(): Promise<void>
}

/**
 * Announces this hub at once and every 2 seconds, and counts the other hubs. Each time `box` learns which key encrypts, and the others learn
 * what it holds.
 */
export async function joinReplicas(deps: { system: Sql; listen: Sql; box: SecretBox; logger: Logger }): Promise<Replicas> {
  const id = randomUUID()
  const { system, box } = deps
  let others = 0
  let allReadArrivals = false
  const announce = async () => {
    await followDatabaseKey(system, box)
    await system`
      insert into hub_replicas (id, seen_at, wire_versions, reads_arrivals, key_fingerprints, sealing_fingerprint, login)
      values (${id}, now(), ${WIRE_VERSIONS as number[]}::smallint[], true, ${box.fingerprints}::text[], ${box.sealingFingerprint}, session_user)
      on conflict (id) do update set seen_at = now(), sealing_fingerprint = excluded.sealing_fingerprint`
    await count()
  }
  const count = async () => {
    const [row] = await system<[{ others: number; allReadArrivals: boolean }]>`
      select count(*) filter (where id <> ${id} and seen_at > now() - make_interval(secs => ${SILENT_SECONDS}))::int as others,
        coalesce(bool_and(reads_arrivals) filter (where seen_at > now() - interval '1 hour'), true) as "allReadArrivals"
      from hub_replicas`
    ;({ others, allReadArrivals } = row)
  }
  const subscription = await deps.listen.listen(CHANNEL, () => void count().catch(() => {}))
  await announce()
  await system`select pg_notify(${CHANNEL}, '')`
  const stop = repeat('announce_replica', ANNOUNCE_SECONDS, deps.logger, announce)
  return {
    id,
    isAlone: () => others === 0,
    allReadArrivals: () => allReadArrivals,
    leave: async () => {
      await stop()
      await subscription.unlisten().catch(() => {})
      await system`delete from hub_replicas where id = ${id} or seen_at < now() - interval '1 hour'`.catch(() => {})
      await system`select pg_notify(${CHANNEL}, '')`.catch(() => {})
    },
  }
}

/**
 * The versions of batches that this hub and all hubs seen in the last hour read, ascending. One of an older version, which may get the next message,
 * writes nothing and so counts as a reader of version 1 alone.
 */
export const commonWireVersions = (sql: Sql) => sql`array(
  select v from unnest(${WIRE_VERSIONS as number[]}::smallint[]) v
  where not exists (
    select from hub_replicas r where r.seen_at > now() - interval '1 hour' and v <> all(r.wire_versions)
  )
  order by v)`

/** Whether the hub with this id has announced itself lately. A stopped, killed or frozen one has not, nor one that cannot reach the database. */
export const isRunningHub = (sql: Sql, hubId: PendingQuery<Row[]>) => sql`exists (
  select from hub_replicas r where r.id = ${hubId} and r.seen_at > now() - make_interval(secs => ${SILENT_SECONDS}))`

/** Acquires quota of a limit that all replicas share; see `DistributedRateLimit`. */
export async function acquireQuota(system: Sql, bucket: string, wanted: number, allowed: number, seed: number) {
  const [row] = await system<{ granted: number; used: number; freeIn: number }[]>`
    select granted, used, free_in as "freeIn" from reserve_requests(${bucket}, ${wanted}, ${allowed}, ${seed})`
  return row as { granted: number; used: number; freeIn: number }
}

/** Deletes rate windows that no replica has used for an hour. */
export const purgeRateWindows = (system: Sql): Promise<void> =>
  purge(system, {
    table: 'rate_windows',
    column: 'head',
    before: system`(extract(epoch from now() - interval '1 hour') / 2)::bigint`,
  })
