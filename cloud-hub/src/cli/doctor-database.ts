import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import type { HubConfig } from '../config.ts'
import { checkConfiguredLogins } from '../db/configured-logins.ts'
import { dbError, isReadOnly, isUnreachable } from '../db/errors.ts'
import { requireSecretKey } from '../db/identity.ts'
import { type Login, withLogin } from '../db/login.ts'
import { planLogins } from '../db/logins.ts'
import { appliedMigrations } from '../db/migrations.ts'
import { asOwner } from '../db/owner.ts'
import type { Sql } from '../db/pools.ts'
import { requireServer } from '../db/require-server.ts'
import { checkChecksums } from './doctor-checksums.ts'
import { checkErp } from './doctor-erp.ts'
import { checkMigrations } from './doctor-migrations.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { ownSecretKeyFile, secretKeyOf, withOwner } from './open-hub.ts'

/** Checks the database as its owner or, without owner credentials, as the system login. Changes nothing. */
export async function checkDatabase(config: HubConfig): Promise<Finding[]> {
  const { databaseLogins, databaseUrl } = config
  const name = databaseUrl ? 'DATABASE_URL' : databaseLogins ? 'DATABASE_SYSTEM_URL' : 'embedded database'
  const isEmbedded = !databaseUrl && !databaseLogins
  if (isEmbedded && !existsSync(join(config.dataDir, 'postgres', 'PG_VERSION')))
    return [warn(name, `does not exist yet; the first start creates it in ${config.dataDir}/postgres`)]
  try {
    if (databaseLogins && !databaseUrl)
      return await withLogin(databaseLogins.haltless_system, (system) => examine(config, name, system, null))
    return await withOwner(config, (url) => asOwner(url, 'doctor', (owner) => examine(config, name, owner, url)))
  } catch (error) {
    return [fail(name, `cannot be used: ${firstLine(error)}${adviceFor(error, name)}`)]
  }
}

/** Source of the SQLSTATE codes: PostgreSQL, Appendix A */
function adviceFor(error: unknown, name: string): string {
  if (isUnreachable(error)) return `: start PostgreSQL there, or correct host and port in ${name}`
  if (isReadOnly(error)) return `: the server is a standby or read-only; let ${name} name the primary`
  const code = dbError(error)?.code
  if (code === '28P01' || code === '28000') return `: correct user and password in ${name}, or the rules in pg_hba.conf`
  if (code === '3D000') return `: create it with \`create database\`, or correct its name in ${name}`
  return ''
}

const firstLine = (error: unknown) => (error as Error).message.split('\n')[0] as string

async function examine(config: HubConfig, name: string, sql: Sql, ownerUrl: string | null): Promise<Finding[]> {
  const findings = [
    ok(name, `PostgreSQL ${await requireServer(sql)}`),
    ...(await examineServer(sql, !config.databaseUrl && !config.databaseLogins)),
  ]
  const applied = await appliedMigrations(sql)
  if (applied.length === 0)
    return [...findings, warn('tables', 'no hub has used this database yet; the first start creates roles and tables')]
  const tables = checkMigrations(applied)
  const secretKey = await checkSecretKey(config, sql)
  findings.push(tables, secretKey)
  if (tables.state !== 'ok') return findings
  const [count] = await sql<{ tenants: number; replicas: number }[]>`
    select (select count(*)::int from tenants) as tenants,
      (select count(*)::int from hub_replicas where seen_at > now() - interval '10 seconds') as replicas`
  findings.push(ok('content', `${count?.tenants} tenants; running hubs: ${count?.replicas}`))
  // With a wrong key all passwords would look wrong.
  if (secretKey.state === 'ok') findings.push(await checkLogins(config, sql, ownerUrl ?? ''))
  findings.push(...(await checkNeighbours(sql)))
  return [...findings, await checkOutbox(sql), ...(await checkErp(sql))]
}

async function examineServer(sql: Sql, isEmbedded: boolean): Promise<Finding[]> {
  const [server] = await sql<[{ now: Date; sync: string; fsync: string; checksums: string }]>`
    select clock_timestamp() as now, current_setting('synchronous_commit') as sync, current_setting('fsync') as fsync,
      current_setting('data_checksums') as checksums`
  const skew = Math.abs(server.now.getTime() - Date.now()) / 1000
  const clock =
    skew > 5
      ? warn('clock', `${skew.toFixed(0)} s apart from the database's clock: synchronize both by NTP`)
      : ok('clock', "agrees with the database's clock")
  const checksums = checkChecksums(server.checksums === 'on', isEmbedded)
  if (server.fsync === 'on' && server.sync !== 'off') return [clock, checksums]
  const settings = `fsync=${server.fsync}, synchronous_commit=${server.sync}`
  return [clock, checksums, fail('durability', `${settings}: a power failure could lose committed data; set both to on`)]
}

async function checkSecretKey(config: HubConfig, sql: Sql): Promise<Finding> {
  const file = ownSecretKeyFile(config)
  if (!config.secretKey && !file)
    return fail('SECRET_KEY', `the database contains data, and ${config.dataDir}/secret-key is missing: restore it from a backup`)
  try {
    await requireSecretKey(sql, await secretKeyOf(config))
    return ok('SECRET_KEY', file ? `generated by the hub (${file}); backups contain it` : 'matches the database')
  } catch (error) {
    return fail('SECRET_KEY', (error as Error).message)
  }
}

async function checkLogins(config: HubConfig, sql: Sql, ownerUrl: string): Promise<Finding> {
  try {
    const secretKey = await secretKeyOf(config)
    if (config.databaseLogins) await checkConfiguredLogins(config.databaseLogins, secretKey)
    else {
      const { logins, statements } = await planLogins(sql, ownerUrl, secretKey)
      if (statements.length > 0)
        return warn('logins', 'are missing or changed; the next start, or `npm run hub -- migrate`, repairs them')
      if (await isPasswordIgnored(logins.haltless_app))
        return warn('logins', 'are accepted with any password: change `trust` to `scram-sha-256` in pg_hba.conf')
    }
    return ok('logins', 'each is a member of one role, and owns nothing')
  } catch (error) {
    return fail('logins', firstLine(error))
  }
}

/** Roles belong to the cluster: logins of another hub's database have the same privileges here, once they can connect. */
async function checkNeighbours(sql: Sql): Promise<Finding[]> {
  const [found] = await sql<[{ database: string; owner: string; logins: string[] }]>`
    select quote_ident(datname) as database, quote_ident(pg_get_userbyid(datdba)) as owner, array(
      select rolname::text from pg_roles r
      where rolname ~ '^haltless_(app|ingest|system)_[0-9]+$' and substring(rolname from '[0-9]+$') <> d.oid::text
        and substring(rolname from '[0-9]+$') in (select oid::text from pg_database) and has_database_privilege(r.oid, d.oid, 'connect')
      order by 1) as logins
    from pg_database d where datname = current_database()`
  if (found.logins.length === 0) return []
  const [open, shut] = [`grant connect on database ${found.database}`, `revoke connect on database ${found.database} from public`]
  return [
    warn(
      'neighbours',
      `${found.logins.join(', ')} of another hub in this cluster can read this database. As its owner: ` +
        `${open} to ${found.owner}; ${shut}; then start this hub again, which grants access to its own logins`,
    ),
  ]
}

const isPasswordIgnored = (login: Login): Promise<boolean> =>
  withLogin({ ...login, password: new Secret('not the password') }, (sql) => sql`select 1`).then(
    () => true,
    () => false,
  )

async function checkOutbox(sql: Sql): Promise<Finding> {
  const [stuck] = await sql<[{ deliveries: number; mails: number }]>`
    select
      (select count(*)::int from deliveries
        where status in ('pending_digest', 'waiting') and created_at < now() - interval '10 minutes') as deliveries,
      (select count(*)::int from mails where status = 'waiting' and created_at < now() - interval '10 minutes') as mails`
  if (stuck.deliveries + stuck.mails === 0) return ok('outbox', 'no delivery or mail is overdue')
  return warn(
    'outbox',
    `${stuck.deliveries} deliveries and ${stuck.mails} mails have waited for more than 10 minutes: the log shows why`,
  )
}
