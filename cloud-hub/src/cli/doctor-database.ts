import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import type { HubConfig } from '../config.ts'
import { checkConfiguredLogins } from '../db/configured-logins.ts'
import { dbError, isReadOnly, isUnreachable } from '../db/errors.ts'
import { readDatabaseKey, requireSecretKey } from '../db/identity.ts'
import { tablesUnderOtherKeys } from '../db/key-rotation.ts'
import { type Login, withLogin } from '../db/login.ts'
import { HUB_LOGIN, planLogins } from '../db/logins.ts'
import { appliedMigrations } from '../db/migrations.ts'
import { asOwner } from '../db/owner.ts'
import type { Sql } from '../db/pools.ts'
import { requireServer } from '../db/require-server.ts'
import { keyMark, sealedPrefix } from '../support/secrets/secret-box.ts'
import { loadSecretKeys } from '../support/secrets/secret-key.ts'
import { checkArchive } from './doctor-archive.ts'
import { checkChecksums } from './doctor-checksums.ts'
import { checkErp } from './doctor-erp.ts'
import { checkLimits } from './doctor-limits.ts'
import { checkMigrations } from './doctor-migrations.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { ownSecretKeyFile, withOwner } from './open-hub.ts'

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
    ...(await checkArchive(config, sql)),
  ]
  const applied = await appliedMigrations(sql)
  if (applied.length === 0)
    return [...findings, warn('tables', 'no hub has used this database yet; the first start creates roles and tables')]
  const tables = checkMigrations(applied)
  const secretKey = await checkSecretKey(config, sql)
  findings.push(tables, secretKey)
  if (tables.state !== 'ok') return findings
  const [count] = await sql<{ tenants: number; agents: number[] }[]>`
    select (select count(*)::int from tenants) as tenants,
      array(
        select (select count(*)::int from agent_connections c where c.hub_id = r.id) as agents
        from hub_replicas r where r.seen_at > now() - interval '10 seconds' order by 1 desc) as agents`
  const { tenants = 0, agents = [] } = count ?? {}
  const held = agents.length > 0 ? `; agents connected over MQTT: ${agents.join(' + ')}` : ''
  findings.push(ok('content', `${tenants} tenants; running hubs: ${agents.length}${held}`))
  // With a wrong key all passwords would look wrong.
  if (secretKey.state !== 'fail') findings.push(await checkLogins(config, sql, ownerUrl ?? ''))
  findings.push(...(await checkNeighbours(sql)))
  return [...findings, await checkOutbox(sql), ...(await checkErp(sql)), ...(await checkLimits(config, sql))]
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
  const standbys = await checkReplication(sql)
  if (server.fsync === 'on' && server.sync !== 'off') return [clock, checksums, ...standbys]
  const settings = `fsync=${server.fsync}, synchronous_commit=${server.sync}`
  return [
    clock,
    checksums,
    ...standbys,
    fail('durability', `${settings}: a power failure could lose committed data; set both to on`),
  ]
}

/** Standbys, as far as this login may see them. Source: PostgreSQL, 27.2.4 (pg_stat_replication) */
async function checkReplication(sql: Sql): Promise<Finding[]> {
  const [found] = await sql<[{ synchronous: number; asynchronous: number }]>`
    select count(*) filter (where sync_state in ('sync', 'quorum'))::int as synchronous,
      count(*) filter (where sync_state in ('async', 'potential'))::int as asynchronous
    from pg_stat_replication
    where state = 'streaming'`
  if (found.synchronous > 0) return [ok('replication', `synchronous standbys: ${found.synchronous}`)]
  if (found.asynchronous === 0) return []
  return [
    warn(
      'replication',
      `no standby of ${found.asynchronous} is synchronous: a failover can lose readings whose receipt was sent. Set synchronous_standby_names ` +
        '(Patroni: synchronous_mode)',
    ),
  ]
}

async function checkSecretKey(config: HubConfig, sql: Sql): Promise<Finding> {
  const file = ownSecretKeyFile(config)
  if (!config.secretKey && !file)
    return fail('SECRET_KEY', `the database contains data, and ${config.dataDir}/secret-key is missing: restore it from a backup`)
  try {
    const keys = await loadSecretKeys(config)
    const { secretKey } = await requireSecretKey(sql, keys)
    const mark = keyMark(secretKey)
    const stored = await readDatabaseKey(sql)
    if (stored?.nextFingerprint)
      return warn(
        'SECRET_KEY',
        `is being changed: \`npm run hub -- keys rotate-secret\` goes on, and with --undo goes back to ${mark}`,
      )
    const other = await tablesUnderOtherKeys(sql, sealedPrefix(secretKey))
    if (other.length > 0)
      return warn(
        'SECRET_KEY',
        `${other.join(', ')} contain secrets that ${mark} does not decrypt: run \`npm run hub -- keys rotate-secret\` with both keys once more, or enter these again`,
      )
    if (!file && secretKey !== keys[0])
      return warn(
        'SECRET_KEY',
        `was changed to ${mark}: set SECRET_KEY to the value of SECRET_KEY_NEXT, and remove SECRET_KEY_NEXT`,
      )
    return ok('SECRET_KEY', `${mark}: ${file ? `generated by the hub (${file}); backups contain it` : 'matches the database'}`)
  } catch (error) {
    return fail('SECRET_KEY', (error as Error).message)
  }
}

async function checkLogins(config: HubConfig, sql: Sql, ownerUrl: string): Promise<Finding> {
  try {
    const keys = await loadSecretKeys(config)
    if (config.databaseLogins) await checkConfiguredLogins(config.databaseLogins, keys)
    else {
      const { logins, statements } = await planLogins(sql, ownerUrl, await requireSecretKey(sql, keys))
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
      select rolname::text from pg_roles r, substring(rolname from '^haltless_[a-z]+_([0-9]+)') as of_database
      where rolname ~ ${HUB_LOGIN} and of_database <> d.oid::text
        and of_database in (select o.oid::text from pg_database o) and has_database_privilege(r.oid, d.oid, 'connect')
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
