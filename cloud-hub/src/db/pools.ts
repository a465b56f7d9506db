import { connect } from 'node:net'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { connectionOf, type Logins } from './login.ts'
import type { DbRole } from './roles.ts'
import type { Sql, TransactionSql } from './sql.ts'

export type { Sql, TransactionSql }

/** What the driver patches add to a client (`cloud-hub/patches/postgres`). */
interface Patched {
  pipeline(begin: string, work: unknown): Promise<unknown>
  load(): PoolLoad
}

const patched = (pool: Sql) => pool as unknown as Patched

/**
 * Sends the statements that `work` starts synchronously as one pipelined transaction, in one round trip. The transaction has committed
 * when the promise resolves. A statement that `work` does not await also fails it, and a statement that starts later is refused.
 */
export const pipelined = <T>(
  pool: Sql,
  begin: 'begin' | 'begin read only',
  work: (sql: TransactionSql) => Promise<T>,
): Promise<T> => patched(pool).pipeline(begin, work) as Promise<T>

/**
 * The hub's connections. Each logs in as a member of its role, so no statement can become another role or the owner. drizzle replaces the
 * parsers of its client, hence a client of its own; raw clients answer timestamps as Date and bigint as string.
 */
export interface Pools {
  /** a member of haltless_app, with drizzle's parsers, for `TenantScope` */
  readonly app: Sql
  /** a member of haltless_app, raw, for `TenantScope` on hot reads */
  readonly read: Sql
  /** a member of haltless_ingest: shared flushes */
  readonly ingest: Sql
  /** a member of haltless_system: sign-in and allTenants sweeps */
  readonly system: Sql
  /** one more connection of the system login, for LISTEN */
  readonly listen: Sql
  close(): Promise<void>
}

/** Connections that a pool may open, those with a statement or transaction under way, and statements that wait for one. */
export interface PoolLoad {
  size: number
  inUse: number
  waiting: number
}

export const loadOf = (pool: Sql): PoolLoad => patched(pool).load()

interface SocketOptions {
  host: string[]
  port: number[]
}

/** Told to the server: a lock that somebody keeps is not waited for longer, and a replica that hangs in a transaction loses its own. */
const LIMITS = { lock_timeout: '2s', idle_in_transaction_session_timeout: '15s' }
/** A server that says nothing for this much longer than a statement may take is taken for gone. */
const SILENCE_SECONDS = 3

/**
 * postgres.js never sets TCP_NODELAY: a statement that follows another without waiting (our tenant setting and the query after it) then
 * sits 40 ms in Nagle's buffer until the server's delayed acknowledgement. A URL with several hosts keeps the library's own sockets,
 * which try them in turn.
 */
const withoutDelay = (url: string) =>
  hasSeveralHosts(url)
    ? {}
    : { socket: ({ host, port }: SocketOptions) => connect({ host: host[0], port: port[0] as number, noDelay: true }) }

/** `host1:5432,host2:5432`, which is no URL to `new URL`. */
const hasSeveralHosts = (url: string) => /^[^:]+:\/\/(?:[^/?]*@)?[^/?@]*,/.test(url)

/**
 * Opens nothing yet: postgres.js connects with the first statement.
 * @param statementSeconds what a statement may take; one that takes longer is ended by the server
 * @throws Error when the driver patches are not applied
 */
export function openPools(logins: Logins, statementSeconds = 12): Pools {
  const client = (role: DbRole, max: number, name: string, settings: Record<string, string> = {}) => {
    const [url, credentials] = connectionOf(logins[role])
    return postgres(url, {
      ...credentials,
      max,
      onnotice: () => {},
      idle_timeout: 60,
      connect_timeout: 5,
      ...withoutDelay(url),
      // from our driver patches: TCP itself would wait a quarter of an hour for a server behind a network that drops packets
      ...{ silence_timeout: statementSeconds + SILENCE_SECONDS },
      // while the database is away requests are told so; by default they would wait up to 20 s for a connection to be tried again
      backoff: (failures) => Math.min(failures * 0.05, 0.5),
      connection: {
        application_name: `haltless ${name}`,
        timezone: 'UTC',
        statement_timeout: `${statementSeconds}s`,
        ...LIMITS,
        ...settings,
      } as Record<string, string>,
    })
  }
  const app = client('haltless_app', 8, 'app')
  if (!patched(app).pipeline) throw new Error('the PostgreSQL driver is not patched: import db/driver-patches.ts before it')
  const read = client('haltless_app', 6, 'read')
  // Every statement of a flush looks rows up by their keys, however many: planning each anew costs more than running it for a few.
  const ingest = client('haltless_ingest', 5, 'ingest', { plan_cache_mode: 'force_generic_plan' })
  const system = client('haltless_system', 6, 'system')
  const listen = client('haltless_system', 1, 'listen')
  // for its effect on the parsers of the client; TenantScope makes its own for every transaction
  drizzle(app)
  return {
    app,
    read,
    ingest,
    system,
    listen,
    async close() {
      await Promise.all([app, read, ingest, system, listen].map((sql) => sql.end({ timeout: 5 })))
    },
  }
}
