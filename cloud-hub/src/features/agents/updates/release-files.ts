import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { type ReleaseFile, type ReleaseManifest, ReleaseRefused, readRelease } from '@haltless/protocol'
import type { Sql } from '../../../db/pools.ts'
import { OperatorError } from '../../../support/errors.ts'
import { PIECE_BYTES } from './releases.ts'

/**
 * Stores a signed release and its archives, which lie beside it. Agents verify the signature; the hub only checks that everything is there.
 * @param file as `npm run package:agent -- sign` writes it
 * @param onProgress is called with the bytes that are stored, and how many there are
 * @throws OperatorError that says what is wrong
 */
export async function addRelease(
  sql: Sql,
  file: string,
  now: Date,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<ReleaseManifest> {
  const { release, manifest } = await readSigned(file)
  if (Date.parse(manifest.expires_at) <= now.getTime())
    throw new OperatorError(`The release ${manifest.version} expired at ${manifest.expires_at}. Sign it again.`)
  const archives = manifest.files.map((each) => ({ ...each, path: path.join(path.dirname(file), each.name) }))
  for (const archive of archives) await checkArchive(archive)
  const all = archives.reduce((sum, { size }) => sum + size, 0)
  await sql.begin(async (tx) => {
    // one at a time: sequence numbers have to grow
    await tx`lock table agent_releases in share row exclusive mode`
    const known = await tx<{ version: string; sequence: string }[]>`
      select version, sequence from agent_releases where version = ${manifest.version} or sequence >= ${manifest.sequence}`
    for (const { version, sequence } of known)
      throw new OperatorError(
        version === manifest.version
          ? `The hub has the release ${version} already. To replace it: npm run hub -- releases remove ${version}`
          : `The release ${version} has the sequence number ${sequence}, and that of ${manifest.version} is ${manifest.sequence}. Sign it with a higher one (--sequence).`,
      )
    await tx`insert into agent_releases (version, sequence, release, added_at) values (${manifest.version}, ${manifest.sequence}, ${tx.json(release as never)}, ${now})`
    let done = 0
    for (const archive of archives) {
      let piece = 0
      for await (const content of createReadStream(archive.path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
        await tx`
          insert into agent_release_pieces (version, platform, piece, content)
          values (${manifest.version}, ${archive.platform}, ${piece++}, ${content})`
        done += content.length
        onProgress(done, all)
      }
    }
  })
  return manifest
}

/** @throws OperatorError for an unknown version, or one that a rollout uses */
export async function removeRelease(allTenants: Sql, version: string): Promise<void> {
  await allTenants.begin(async (tx) => {
    const [used] = await tx`
      select from agent_rollouts where version = ${version} and ended_at is null
      union all
      select from agent_rollouts r join agent_rollout_agents a on a.tenant_id = r.tenant_id and a.rollout_id = r.id
      where r.version = ${version} and a.state in ('verified', 'switched') limit 1`
    if (used) throw new OperatorError(`A rollout of ${version} has not ended. Its tenant can cancel it.`)
    const removed = await tx`delete from agent_releases where version = ${version} returning version`
    if (removed.length === 0)
      throw new OperatorError(`The hub has no release ${version}. List them: npm run hub -- releases list`)
  })
}

async function readSigned(file: string) {
  try {
    return readRelease(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (error instanceof ReleaseRefused) throw new OperatorError(`${file}: ${error.message}`)
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(code ? `${file} cannot be read (${code}).` : `${file} is no signed release: it is no JSON.`)
  }
}

async function checkArchive({ path: file, name, size, sha256 }: ReleaseFile & { path: string }): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (!found) throw new OperatorError(`The archive ${name} is missing beside the release.`)
  if (found.size !== size) throw new OperatorError(`The archive ${name} has ${found.size} bytes, and the release names ${size}.`)
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file)) hash.update(piece)
  if (hash.digest('hex') !== sha256) throw new OperatorError(`The archive ${name} is not the signed one: its SHA-256 differs.`)
}
