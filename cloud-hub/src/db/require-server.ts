import { OperatorError } from '../support/errors.ts'
import type { Sql } from './pools.ts'

const REQUIRED_MAJOR = 18

/** The server or the database lacks what the migrations and queries require. */
export class UnsupportedServer extends OperatorError {}

/** The encoding that stores texts of all scripts, and the collation by which lists are sorted. */
const [ENCODING, COLLATION] = ['UTF8', 'und-x-icu']

/**
 * Checks the version that the server reports on connection, before any statement that an old server would refuse; then the encoding
 * of the database, and that the server was built with ICU. Without these a migration would fail, or a name much later.
 * @returns the version, such as `18.4 (Debian 18.4-1)`
 * @throws UnsupportedServer
 */
export async function requireServer(sql: Sql): Promise<string> {
  await sql`select 1`
  const version = String(sql.parameters.server_version ?? '')
  if (!(Number.parseInt(version, 10) >= REQUIRED_MAJOR))
    throw new UnsupportedServer(
      `The database server is PostgreSQL ${version}; the hub needs ${REQUIRED_MAJOR} or newer. Upgrade the server, or set DATABASE_URL to another one.`,
    )
  const [found] = await sql<{ name: string; encoding: string; hasIcu: boolean }[]>`
    select datname as name, pg_encoding_to_char(encoding) as encoding,
      exists (select from pg_collation where collname = ${COLLATION} and collprovider = 'i') as "hasIcu"
    from pg_database where datname = current_database()`
  if (found && found.encoding !== ENCODING)
    throw new UnsupportedServer(
      `The database ${found.name} has the encoding ${found.encoding}; the hub needs ${ENCODING}. Create another with \`create database ... encoding '${ENCODING}' template template0\` and set DATABASE_URL to it.`,
    )
  if (found && !found.hasIcu)
    throw new UnsupportedServer(
      'The database server was built without ICU, by whose collations the hub sorts names. Use a server with ICU, such as the packages of postgresql.org, or set DATABASE_URL to another one.',
    )
  return version
}
