import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import postgres from './driver.ts'
import { isStalePlan } from './errors.ts'
import { hasSeveralHosts } from './hosts.ts'
import { connectionOf, type Login, type Logins } from './login.ts'
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

/** Each connection of a pool may have a stale plan of its own. */
const MAX_READ_TRIES = 4

/** `pipelined` for reads: repeated when a migration has changed what a statement returns. */
export async function pipelinedRead<T>(pool: Sql, work: (sql: TransactionSql) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pipelined(pool, 'begin read only', work)
    } catch (error) {
      if (attempt >= MAX_READ_TRIES || !isStalePlan(error)) throw error
    }
  }
}

/**
 * The hub's connection pools. Each logs in as a member of its role, so no statement can switch to another role or the owner.
 * They return timestamps and dates as Date, and bigint as text.
 */
export interface Pools {
  /** a member of haltless_app, for `TenantScope` */
  readonly app: Sql
  /** a member of haltless_ingest: shared flushes */
  readonly ingest: Sql
  /** a member of haltless_system: sign-in and allTenants sweeps */
  readonly system: Sql
  /** a separate connection of the system login, for LISTEN */
  readonly listen: Sql
  close(): Promise<void>
}

/** Maximum connections of a pool, connections in use, and statements that wait for one. */
export interface PoolLoad {
  size: number
  inUse: number
  waiting: number
}

export const poolLoad = (pool: Sql): PoolLoad => patched(pool).load()

interface SocketOptions {
  host: string[]
  port: number[]
}

/** Server-side limits: a statement waits briefly for locks, and a stalled transaction loses its locks. */
const LIMITS = { lock_timeout: '2s', idle_in_transaction_session_timeout: '15s' }
/** Silence of the server beyond the statement timeout that counts as a lost connection. */
const SILENCE_SECONDS = 3

/**
 * Connects by the Unix socket of the login where there is one, else over TCP. Sets TCP_NODELAY, which postgres.js never does. Otherwise
 * a pipelined statement waits 40 ms in Nagle's buffer for the server's delayed acknowledgement. With several hosts, the library's own
 * sockets try one after the other.
 */
function socketOptions({ socket }: Login, url: string) {
  if (hasSeveralHosts(url)) return {}
  return {
    socket: ({ host: [host], port: [port] }: SocketOptions) =>
      socket && existsSync(socket) ? connect(socket) : keepEarlyError(connect({ host, port: port as number, noDelay: true })),
  }
}

/**
 * Repeats an error for listeners that come a moment later: a network that cannot be reached refuses at once, postgres.js listens only some
 * microtasks after that, and an error without a listener would end the hub.
 */
function keepEarlyError(socket: Socket): Socket {
  const repeat = (error: Error) => {
    if (socket.listenerCount('error') > 0) return
    setImmediate(() => {
      if (socket.listenerCount('error') === 0) return
      socket.emit('error', error)
      socket.emit('close', true)
    })
  }
  socket.once('error', repeat)
  setImmediate(() => socket.off('error', repeat))
  return socket
}

/**
 * Writes the instants whose year ISO 8601 signs, such as the millisecond after the year 9999, as PostgreSQL reads them: `10000-01-01T...`,
 * `0001-12-31T... BC`.
 */
export function writeInstant(value: Date | string | number): string {
  const at = value instanceof Date ? value : new Date(value)
  const text = at.toISOString()
  const year = at.getUTCFullYear()
  if (year > 0 && year < 10_000) return text
  const rest = text.slice(text.indexOf('-', 1))
  return year > 0 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`
}

/** OIDs of timestamptz, and of date, timestamp and timestamptz. */
const INSTANT = { to: 1_184, from: [1_082, 1_114, 1_184], serialize: writeInstant, parse: (text: string) => new Date(text) }

interface ClientOptions {
  /** for `pg_stat_activity` */
  name: string
  max: number
  /** statement timeout, enforced by the server */
  statementSeconds: number
  settings?: Record<string, string>
}

/** Creates a pool of one login; postgres.js connects with the first statement. */
export function openPool(login: Login, { name, max, statementSeconds, settings }: ClientOptions): Sql {
  const [url, credentials] = connectionOf(login)
  return postgres(url, {
    ...credentials,
    max,
    onnotice: () => {},
    idle_timeout: 60,
    types: { date: INSTANT },

    connect_timeout: 5,
    ...socketOptions(login, url),
    // Added by our driver patches: TCP itself waits 15 minutes for a server behind a network that drops packets.
    ...{ silence_timeout: statementSeconds + SILENCE_SECONDS },
    // Requests fail fast while the database is unreachable; the default backoff would delay them by up to 20 s.
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

/**
 * Creates the pools; postgres.js connects with the first statement.
 * @param statementSeconds statement timeout, enforced by the server
 */
export function openPools(logins: Logins, statementSeconds = 12): Pools {
  const client = (role: DbRole, max: number, name: string, settings: Record<string, string> = {}) =>
    openPool(logins[role], { name, max, statementSeconds, settings })
  const app = client('haltless_app', 14, 'app')
  // A hub that freezes, or loses its network, in the middle of a flush holds the locks of its tenants that long; others store within 15 s.
  const idle = { idle_in_transaction_session_timeout: '8s' }
  // Statements of a flush look rows up by key: planning each one anew costs more than a generic plan. Such a plan expects ten keys where
  // there is mostly one, and at the default cost of a random page it would rather scan all machines of a plant of a thousand.
  const ingest = client('haltless_ingest', 5, 'ingest', {
    ...idle,
    plan_cache_mode: 'force_generic_plan',
    random_page_cost: '1.1',
  })
  // Jobs claim a few rows by an index among those of all tenants, for which a scan of everything would look as cheap.
  const system = client('haltless_system', 6, 'system', { random_page_cost: '1.1' })
  const listen = client('haltless_system', 1, 'listen')
  return {
    app,
    ingest,
    system,
    listen,
    async close() {
      await Promise.all([app, ingest, system, listen].map((sql) => sql.end({ timeout: 5 })))
    },
  }
}
