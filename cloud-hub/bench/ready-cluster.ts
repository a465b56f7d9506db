import { startEmbeddedPostgres } from '../src/db/embedded/index.ts'
import { migrateTables } from '../src/db/migrate.ts'

/** Creates a cluster with the tables of a hub that was never started, and stops it. The argument is its folder. */
const [, , dataDir = ''] = process.argv
const pg = await startEmbeddedPostgres({ dataDir, restart: false })
await migrateTables(pg.url())
await pg.stop()
