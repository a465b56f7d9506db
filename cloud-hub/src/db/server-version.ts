import { OperatorError } from '../support/errors.ts'
import type { Sql } from './pools.ts'

const REQUIRED_MAJOR = 18

/** The server is older than the migrations and queries require. */
export class UnsupportedServer extends OperatorError {}

/**
 * Reads the version that the server reports on connection, before any statement that an old server would refuse.
 * @returns such as `18.4 (Debian 18.4-1)`
 * @throws UnsupportedServer
 */
export async function requireServerVersion(sql: Sql): Promise<string> {
  await sql`select 1`
  const version = String(sql.parameters.server_version ?? '')
  if (Number.parseInt(version, 10) >= REQUIRED_MAJOR) return version
  throw new UnsupportedServer(
    `The database server is PostgreSQL ${version}; the hub needs ${REQUIRED_MAJOR} or newer. Upgrade the server, or set DATABASE_URL to another one.`,
  )
}
