import type { Secret } from '@haltless/edge-agent/secret'
import type { Options } from 'postgres'
import postgres from './driver.ts'
import { sessionAttrs } from './hosts.ts'
import type { DbRole } from './roles.ts'
import type { Sql } from './sql.ts'

/** A database login. Without `username` the URL contains user and password. */
export interface Login {
  url: Secret
  username?: string
  password?: Secret
  /** the server's Unix socket, for connections of pools while the file exists */
  socket?: string
}

/** One login per role; each is a member of its role and of nothing else. */
export type Logins = Readonly<Record<DbRole, Login>>

/** The driver's arguments. The URL stays unchanged, because it may name several hosts. */
export const connectionOf = ({ url, username, password }: Login): [string, Options<Record<string, never>>] => [
  url.reveal(),
  { ...sessionAttrs(url.reveal()), ...(username === undefined ? {} : { username, password: password?.reveal() ?? '' }) },
]

/** Runs work on one connection of this login and closes it. */
export async function withLogin<T>(login: Login, work: (sql: Sql) => Promise<T>): Promise<T> {
  const [url, options] = connectionOf(login)
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 5, ...options })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
