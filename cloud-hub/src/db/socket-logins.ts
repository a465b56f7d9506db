import type { Logger } from '../support/logger.ts'
import type { Logins } from './login.ts'
import { openPool } from './pools.ts'

/** The logins with the Unix socket, where PostgreSQL accepts them there: its `pg_hba.conf` may have been edited. */
export async function overSocket(logins: Logins, socket: string, logger: Pick<Logger, 'warn'>): Promise<Logins> {
  const own = {
    haltless_app: { ...logins.haltless_app, socket },
    haltless_ingest: { ...logins.haltless_ingest, socket },
    haltless_system: { ...logins.haltless_system, socket },
  }
  const pool = openPool(own.haltless_system, { name: 'socket test', max: 1, statementSeconds: 5 })
  try {
    await pool`select 1`
    return own
  } catch (error) {
    logger.warn(
      { err: error },
      'the embedded PostgreSQL refuses connections over its Unix socket, so the hub uses TCP: pg_hba.conf needs the line "local all all scram-sha-256"',
    )
    return logins
  } finally {
    await pool.end({ timeout: 1 })
  }
}
