import type { ReleaseManifest, SignedRelease } from '@haltless/protocol'
import { readRelease } from '@haltless/protocol'
import type { Sql, TransactionSql } from '../../../db/pools.ts'

/** A version of the agent that the operator of the hub added. */
export interface Release {
  manifest: ReleaseManifest
  release: SignedRelease
  addedAt: Date
}

/** Archives are stored in pieces of this size, so that neither hub nor database holds a whole one in memory. */
export const PIECE_BYTES = 262_144

interface Row {
  release: SignedRelease
  addedAt: Date
}
const releaseOf = ({ release, addedAt }: Row): Release => ({ release, manifest: readRelease(release).manifest, addedAt })

/** All releases, newest first. There are as many as the operator keeps. */
export async function listReleases(sql: Sql | TransactionSql): Promise<Release[]> {
  const rows = await sql<Row[]>`select release, added_at as "addedAt" from agent_releases order by sequence desc`
  return rows.map(releaseOf)
}

/** A subquery for the version of the newest release; null without one. */
export const newestVersion = (sql: Sql | TransactionSql) =>
  sql`(select version from agent_releases order by sequence desc limit 1)`

/** @returns the version of the newest release; null without one */
export async function findNewestVersion(sql: Sql | TransactionSql): Promise<string | null> {
  const [row] = await sql<[{ version: string | null }]>`select ${newestVersion(sql)} as version`
  return row.version
}

/** @returns null when the operator added no such version */
export async function findRelease(sql: Sql | TransactionSql, version: string): Promise<Release | null> {
  const [row] = await sql<Row[]>`select release, added_at as "addedAt" from agent_releases where version = ${version}`
  return row ? releaseOf(row) : null
}

/** The bytes of an archive from `first` to `last`, both included; one piece in memory at a time. */
export async function* readArchive(
  sql: Sql,
  { version, platform }: { version: string; platform: string },
  first: number,
  last: number,
): AsyncGenerator<Buffer> {
  for (let piece = Math.floor(first / PIECE_BYTES); piece * PIECE_BYTES <= last; piece++) {
    const [row] = await sql<{ content: Buffer }[]>`
      select content from agent_release_pieces where version = ${version} and platform = ${platform} and piece = ${piece}`
    if (!row) throw new Error(`piece ${piece} of the archive of ${version} for ${platform} is missing`)
    const from = piece * PIECE_BYTES
    yield row.content.subarray(Math.max(0, first - from), last - from + 1)
  }
}
