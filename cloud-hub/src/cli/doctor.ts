import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { createConnection } from 'node:net'
import type { Command } from 'commander'
import nodemailer from 'nodemailer'
import { ConfigError, type HubConfig, loadConfig, publicUrl } from '../config.ts'
import { migrationCount } from '../db/migrate.ts'
import { openPools, type Pools } from '../db/pools.ts'
import { createSecretBox } from '../support/secrets/secret-box.ts'
import { loadOrMakeSecretKey } from '../support/secrets/secret-key.ts'
import { ownSecretKeyFile, withDatabase } from './open-hub.ts'

type State = 'ok' | 'warn' | 'fail'
export interface Finding {
  check: string
  state: State
  /** what was found, and what to do about it */
  detail: string
}

const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail })
const warn = (check: string, detail: string): Finding => ({ check, state: 'warn', detail })
const fail = (check: string, detail: string): Finding => ({ check, state: 'fail', detail })

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .option('--json', 'as JSON')
    .description('look for what is wrong with this hub and say what to do; ends with 1 when something fails')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine(process.env)
      if (json) console.log(JSON.stringify(findings, null, 2))
      else {
        const width = Math.max(...findings.map(({ check }) => check.length))
        for (const { check, state, detail } of findings) console.log(`${state.padEnd(4)}  ${check.padEnd(width)}  ${detail}`)
      }
      if (findings.some(({ state }) => state === 'fail')) process.exitCode = 1
    })
}

/** Each check says what it found; one that fails does not keep the others from being made. */
export async function examine(env: Record<string, string | undefined>): Promise<Finding[]> {
  let config: HubConfig
  try {
    config = loadConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map((fault) => fail('settings', fault))
  }
  return [
    ok('settings', 'all can be read'),
    await checkDataDir(config),
    ...(await checkDatabase(config)),
    await checkMail(config),
    await checkBroker(config),
    await checkPort(config),
    config.publicUrl
      ? ok('PUBLIC_URL', config.publicUrl)
      : warn('PUBLIC_URL', `not set: links in mails lead to ${publicUrl(config)}, which only this machine can open`),
  ]
}

async function checkDataDir(config: HubConfig): Promise<Finding> {
  try {
    await access(config.dataDir, constants.W_OK)
    const { bavail, bsize } = await statfs(config.dataDir)
    const free = (bavail * bsize) / 1024 ** 3
    const text = `${config.dataDir}, ${free.toFixed(1)} GiB free`
    return free < 1 ? warn('DATA_DIR', `${text}: PostgreSQL stops when the disk is full; make room`) : ok('DATA_DIR', text)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return code === 'ENOENT'
      ? warn('DATA_DIR', `${config.dataDir} is not there yet; the first start makes it`)
      : fail('DATA_DIR', `${config.dataDir} cannot be written (${code}): give it to the user that runs the hub`)
  }
}

async function checkDatabase(config: HubConfig): Promise<Finding[]> {
  const name = config.databaseUrl ? 'DATABASE_URL' : 'embedded database'
  try {
    return await withDatabase(config, async (url) => {
      const pools = openPools(url)
      try {
        return await examineDatabase(config, name, pools)
      } finally {
        await pools.close()
      }
    })
  } catch (error) {
    return [fail(name, `cannot be used: ${(error as Error).message.split('\n')[0]}`)]
  }
}

async function examineDatabase(config: HubConfig, name: string, pools: Pools): Promise<Finding[]> {
  const findings: Finding[] = []
  const [server] = await pools.system<{ version: string; number: number; now: Date; sync: string; fsync: string }[]>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number, clock_timestamp() as now,
      current_setting('synchronous_commit') as sync, current_setting('fsync') as fsync`.catch((error) => {
    // the roles are made by the first start
    if ((error as { code?: string }).code === '22023' || /role .* does not exist/.test((error as Error).message)) return []
    throw error
  })
  if (!server) return [warn(name, 'no hub has used it yet; the first start makes its roles and tables')]
  findings.push(
    server.number >= 180_000
      ? ok(name, `PostgreSQL ${server.version}`)
      : fail(name, `PostgreSQL ${server.version}; the hub needs 18`),
  )
  if (server.fsync !== 'on' || server.sync === 'off')
    findings.push(
      fail(
        'durability',
        `fsync=${server.fsync}, synchronous_commit=${server.sync}: a power cut would lose what was promised to be stored`,
      ),
    )
  const skew = Math.abs(server.now.getTime() - Date.now()) / 1000
  findings.push(
    skew > 5
      ? warn('clock', `${skew.toFixed(0)} s apart from the database's: set both by NTP`)
      : ok('clock', "agrees with the database's"),
  )
  const [tables] = await pools.system<{ there: boolean }[]>`select to_regclass('public.hub_keys') is not null as there`
  if (!tables?.there) return [...findings, warn('tables', 'not there, or older than this version; the next start makes them')]
  const [count] = await pools.system<{ tenants: number; replicas: number }[]>`
    select (select count(*)::int from tenants) as tenants, (select count(*)::int from hub_replicas where seen_at > now() - interval '10 seconds') as replicas`
  findings.push(
    ok(
      'tables',
      `of this version (${migrationCount()} migrations); ${count?.tenants} tenants; hubs running on it: ${count?.replicas}`,
    ),
  )
  findings.push(await checkSecretKey(config, pools))
  const [stuck] = await pools.system<{ deliveries: number; mails: number }[]>`
    select (select count(*)::int from deliveries where status in ('gathering', 'waiting') and created_at < now() - interval '10 minutes') as deliveries,
      (select count(*)::int from mails where status = 'waiting' and created_at < now() - interval '10 minutes') as mails`
  const waiting = (stuck?.deliveries ?? 0) + (stuck?.mails ?? 0)
  findings.push(
    waiting > 0
      ? warn(
          'outbox',
          `${stuck?.deliveries} deliveries and ${stuck?.mails} mails have waited for more than 10 minutes: see the log for why`,
        )
      : ok('outbox', 'nothing waits'),
  )
  return findings
}

async function checkSecretKey(config: HubConfig, pools: Pools): Promise<Finding> {
  const file = ownSecretKeyFile(config)
  if (!config.secretKey && !file) return warn('SECRET_KEY', 'none yet; the first start makes one in DATA_DIR')
  try {
    const box = createSecretBox(config.secretKey ?? (await loadOrMakeSecretKey(config.dataDir)))
    const rows = await pools.system<{ name: string; sealed: string }[]>`
      select name, sealed_private_key as sealed from hub_keys where name in ('access_token', 'mqtt_token')`
    for (const { name, sealed } of rows) box.open(sealed, `hub_keys/${name}`)
    return ok('SECRET_KEY', file ? `made by the hub (${file}); it is part of a backup` : 'opens what is stored')
  } catch (error) {
    return fail('SECRET_KEY', (error as Error).message)
  }
}

async function checkMail(config: HubConfig): Promise<Finding> {
  if (!config.smtpUrl) return warn('SMTP_URL', `not set: mails are written to ${config.dataDir}/mail`)
  const transport = nodemailer.createTransport({
    url: config.smtpUrl.reveal(),
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
  } as never)
  try {
    await transport.verify()
    return ok('SMTP_URL', `${new URL(config.smtpUrl.reveal()).host} lets the hub in`)
  } catch (error) {
    const { code } = error as { code?: string }
    return fail(
      'SMTP_URL',
      `${new URL(config.smtpUrl.reveal()).host} does not take mail (${code ?? 'no answer'}): check host, port, user and password`,
    )
  } finally {
    transport.close()
  }
}

async function checkBroker(config: HubConfig): Promise<Finding> {
  if (!config.externalBroker) return ok('broker', `embedded, port ${config.mqttPort}`)
  const { hostname, port, protocol } = new URL(config.externalBroker.url)
  const isThere = await canConnect(hostname, Number(port) || (protocol === 'mqtts:' ? 8883 : 1883))
  return isThere
    ? ok('MQTT_URL', `${hostname} answers`)
    : fail('MQTT_URL', `${hostname} cannot be reached: check host, port and firewall`)
}

async function checkPort(config: HubConfig): Promise<Finding> {
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  if (!(await canConnect(host, config.port))) return ok('PORT', `${config.port} is free: no hub listens here`)
  const url = `${config.tls ? 'https' : 'http'}://${host}:${config.port}/healthz`
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  if (answer?.ok) return ok('PORT', `a hub answers on ${config.port}`)
  return config.tls
    ? ok('PORT', `something listens on ${config.port}`)
    : fail('PORT', `${config.port} is taken by another program, or the hub there does not answer`)
}

const canConnect = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection({ host, port, timeout: 3_000 })
    const end = (found: boolean) => {
      socket.destroy()
      resolve(found)
    }
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false))
  })
