import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { ensureConsole } from '../src/console-build.ts'
import postgres from '../src/db/driver.ts'
import { startEmbeddedPostgres } from '../src/db/embedded/index.ts'
import { migrateTables } from '../src/db/migrate.ts'
import { pruneCompileCache } from '../src/support/compile-cache.ts'
import { noBrowser } from './console/chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** the owner's URL of a cluster with a migrated template database `tpl` */
    pgUrl: string
    /** the data directory of a stopped cluster that `copyReadyCluster` copies */
    readyCluster: string
  }
}

/** A real PostgreSQL for the whole run, in memory where there is room; durability is off here and on in the tests that are about it. */
export default async function setup(project: TestProject) {
  await ensureConsole(console.log)
  pruneCompileCache()
  if (noBrowser) console.warn(`The tests with a browser are skipped: ${noBrowser}.`)
  const dir = mkdtempSync(path.join(roomInMemory() ? '/dev/shm' : os.tmpdir(), 'haltless-test-'))
  chmodSync(dir, 0o755)
  const ready = path.join(dir, 'ready')
  await makeReadyCluster(ready)
  const off = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300']
  const dataDir = path.join(dir, 'data')
  execFileSync('cp', ['-a', ready, dataDir])
  const pg = await startEmbeddedPostgres({
    dataDir,
    flags: off.flatMap((flag) => ['-c', flag]),
    restart: false,
  })
  const admin = postgres(pg.url(), { max: 1, onnotice: () => {} })
  await admin`create database tpl template postgres`
  await admin`alter database tpl is_template true allow_connections false`
  await admin.end()
  project.provide('pgUrl', pg.url())
  project.provide('readyCluster', ready)
  return async () => {
    await pg.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A cluster with the tables of a hub that was never started; it is durable, unlike the one of the run. */
async function makeReadyCluster(dataDir: string): Promise<void> {
  const pg = await startEmbeddedPostgres({ dataDir, restart: false })
  await migrateTables(pg.url())
  await pg.stop()
}

function roomInMemory(): boolean {
  try {
    const fs = statfsSync('/dev/shm')
    return fs.bavail * fs.bsize > 512 * 1_048_576
  } catch {
    return false
  }
}
