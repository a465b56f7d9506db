import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { AppError, Forbidden, NotFound } from '../../../support/errors.ts'
import { parseRange } from '../../../support/http/byte-range.ts'
import { DownloadSlots } from './download-slots.ts'
import { findRelease, readArchive } from './releases.ts'

const slots = new DownloadSlots()
/** People leave those of the agents alone, and a download of a person ends no other. */
const slotsOfPeople = new DownloadSlots({ all: 4, perTenant: 2, silenceMs: 600_000, waitMs: 20_000 })

interface Asked {
  headers: Headers
  signal: AbortSignal
}

/**
 * The archive of a release, or a range of it, for an agent that is ordered this version now.
 * @throws Forbidden, NotFound, AppError 416, Unavailable
 */
export async function serveOrderedArchive(
  allTenants: Sql,
  scope: TenantScope,
  { version, platform, agentId }: { version: string; platform: string; agentId: string },
  request: Asked,
): Promise<Response> {
  const [ordered] = await scope.read(
    (sql) => sql<{ version: string }[]>`
      select r.version from agents g join agent_rollouts r on r.tenant_id = g.tenant_id and r.id = g.rollout_id
      where g.tenant_id = ${scope.tenantId} and g.agent_id = ${agentId}`,
  )
  if (ordered?.version !== version)
    throw new Forbidden('update_not_ordered', `The agent ${agentId} is not ordered version ${version} now.`)
  return serveArchive(allTenants, scope, { version, platform, reader: agentId }, request)
}

/**
 * The archive of a release, or a range of it. One piece is in memory at a time.
 * @param file `reader` is the agent that downloads it, which has one download at a time; null: a person
 * @throws NotFound, AppError 416, Unavailable
 */
export async function serveArchive(
  allTenants: Sql,
  scope: TenantScope,
  { version, platform, reader }: { version: string; platform: string; reader: string | null },
  { headers: request, signal }: Asked,
): Promise<Response> {
  const release = await scope.read((sql) => findRelease(sql, version))
  const file = release?.manifest.files.find((it) => it.platform === platform)
  if (!file) throw new NotFound('agent release', `${version} for ${platform}`)
  const etag = `"${file.sha256}"`
  const ifRange = request.get('if-range')
  const range = ifRange === null || ifRange.trim() === etag ? parseRange(request.get('range'), file.size) : null
  if (range === 'unsatisfiable')
    throw new AppError(
      416,
      'range_not_satisfiable',
      `The archive has ${file.size} bytes.`,
      {},
      { 'content-range': `bytes */${file.size}` },
    )
  const { first, last } = range ?? { first: 0, last: file.size - 1 }
  const pieces = readArchive(allTenants, { version, platform }, first, last)
  const body = await (reader === null
    ? slotsOfPeople.stream(scope, randomUUID(), pieces, signal)
    : slots.stream(scope, reader, pieces, signal))
  const headers = {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${file.name}"`,
    'content-length': String(last - first + 1),
    ...(range && { 'content-range': `bytes ${first}-${last}/${file.size}` }),
  }
  return new Response(Readable.toWeb(body) as ReadableStream, { status: range ? 206 : 200, headers })
}
