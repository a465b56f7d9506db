import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import type { Sql } from 'postgres'
import postgres from '../src/db/driver.ts'
import { sharedBuffersMb, startEmbeddedPostgres } from '../src/db/embedded/index.ts'

/** A hub in a separate process, on a PostgreSQL with its default durability, on disk. */
export interface BenchHub {
  url: string
  mqttPort: number
  /** of the hub's process */
  pid: number
  /** of the PostgreSQL server; its sessions are its children */
  postgresPid: number
  databaseUrl: string
  owner: Sql
  tenantId: string
  userId: string
  /** API keys, enough of them that the rate limiter is on but refuses none */
  keys: string[]
  /** access tokens, one per user */
  tokens: string[]
  /** signs the users in again, after long preparations */
  renewTokens(): Promise<void>
  /** all tenants with their API keys; the first is `tenantId` */
  tenants: BenchTenant[]
  /** starts the hub's process again, on the same database */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface BenchTenant {
  tenantId: string
  /** its admin */
  userId: string
  keys: string[]
}

const PASSWORD = 'Correct-horse-7'

export async function startBenchHub(
  counts: { tenants?: number; keys?: number; users?: number } = {},
  env: Record<string, string> = {},
): Promise<BenchHub> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-bench-'))
  chmodSync(dir, 0o755)
  // cp keeps the owner and the modes, without which PostgreSQL does not start
  if (process.env.BENCH_CLUSTER) execFileSync('cp', ['-a', process.env.BENCH_CLUSTER, path.join(dir, 'postgres')])
  // the hub joins this server, as it starts one by default
  const pg = await startEmbeddedPostgres({
    dataDir: path.join(dir, 'postgres'),
    sharedBuffersMb: sharedBuffersMb(),
    restart: false,
  })
  const secretKey = randomBytes(32).toString('base64')
  const settings = { DATA_DIR: dir, SECRET_KEY: secretKey, PORT: '0', MQTT_PORT: '0', HOST: '127.0.0.1', ...env }
  let { child, url, mqttPort } = await spawnHub(settings)
  const stopHub = async () => {
    const ended = new Promise((done) => child.once('exit', done))
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
  }
  const owner = postgres(pg.url(), { max: 8, onnotice: () => {} })
  const call = async <T>(method: string, route: string, body: unknown, token = ''): Promise<T> => {
    const answer = await fetch(`${url}/api/v1${route}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${route} answered ${answer.status}: ${await answer.text()}`)
    return answer.json() as Promise<T>
  }
  const register = async (i: number): Promise<BenchTenant & { token: string }> => {
    const account = { email: `bench${i}@example.com`, password: PASSWORD, full_name: 'Bench', tenant_name: `Bench ${i}` }
    const { access_token: token } = await call<{ access_token: string }>('POST', '/auth/register', account)
    const { id: userId, tenant_id: tenantId } = await call<{ id: string; tenant_id: string }>('GET', '/auth/me', undefined, token)
    const keys: string[] = []
    for (let k = 0; k < Math.ceil((counts.keys ?? 1) / (counts.tenants ?? 1)); k++)
      keys.push((await call<{ key: string }>('POST', '/api-keys', { name: `key ${k}` }, token)).key)
    return { tenantId, userId, keys, token }
  }
  const signIn = async (email: string) =>
    (await call<{ access_token: string }>('POST', '/auth/login', { email, password: PASSWORD })).access_token
  const tenants = []
  for (let i = 0; i < (counts.tenants ?? 1); i++) tenants.push(await register(i))
  const [{ token: adminToken, ...me }] = tenants as [BenchTenant & { token: string }]
  const tokens = [adminToken]
  for (let i = 1; i < (counts.users ?? 1); i++) {
    const email = `bench-${i}@example.com`
    await owner`insert into users (tenant_id, email, full_name, password_hash, role) select tenant_id, ${email}, 'Bench', password_hash, 'viewer' from users where id = ${me.userId}`
    tokens.push(await signIn(email))
  }
  return {
    get url() {
      return url
    },
    get mqttPort() {
      return mqttPort
    },
    get pid() {
      return child.pid as number
    },
    postgresPid: Number(readFileSync(path.join(dir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]),
    databaseUrl: pg.url(),
    owner,
    ...me,
    tokens,
    tenants,
    async renewTokens() {
      for (const i of tokens.keys()) tokens[i] = await signIn(i === 0 ? 'bench0@example.com' : `bench-${i}@example.com`)
    },
    async restart() {
      await stopHub()
      ;({ child, url, mqttPort } = await spawnHub(settings))
    },
    async close() {
      await owner.end({ timeout: 1 })
      await stopHub()
      await pg.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function spawnHub(env: Record<string, string>): Promise<{ child: ChildProcess; url: string; mqttPort: number }> {
  const script = path.join(import.meta.dirname, '../src/main.ts')
  // the child stops when this process has ended, for whatever reason
  const follow = path.join(import.meta.dirname, '../src/demo/follow-parent.ts')
  const child = spawn(process.execPath, ['--import', follow, script, 'serve'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    let output = ''
    let isRunning = false
    child.once('exit', (code) => reject(new Error(`the hub ended with ${code}: ${output}`)))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (isRunning) return
      output = (output + text).slice(-10_000)
      const line = output.split('\n').find((candidate) => candidate.includes('the hub is running') && candidate.endsWith('}'))
      if (!line) return
      isRunning = true
      const { url, mqtt_port } = JSON.parse(line) as { url: string; mqtt_port: number }
      resolve({ child, url, mqttPort: mqtt_port })
    })
  })
}

/** Prepares a row on a hub, and stops the hub when that fails. */
export async function onHub<T>(starting: Promise<BenchHub>, prepare: (hub: BenchHub) => Promise<T>): Promise<T> {
  const hub = await starting
  try {
    return await prepare(hub)
  } catch (error) {
    await hub.close()
    throw error
  }
}

/** Resident memory of a process (Linux only). Source: proc(5), VmRSS in kB */
export const residentBytes = (pid: number): number =>
  1_024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)

/** Inserts machines `m0`, `m1`, ... directly, because the API would create them one by one. */
export async function addMachines(hub: BenchHub, from: number, to: number, { tenantId }: BenchTenant = hub): Promise<void> {
  await hub.owner`
    insert into machines (tenant_id, name, machine_identifier, protocol)
    select ${tenantId}, 'Machine ' || i, 'm' || i, 'json' from generate_series(${from}::int, ${to - 1}::int) i`
}

/** Creates one threshold rule for each of these machines, which no reading of the benchmark crosses. */
export async function addRules(hub: BenchHub, from: number, to: number, { tenantId, userId }: BenchTenant = hub): Promise<void> {
  await hub.owner`
    insert into threshold_rules (tenant_id, machine_id, metric_name, warning_threshold, critical_threshold, created_by)
    select tenant_id, id, 'metric_0', 1e6, 2e6, ${userId} from machines
    where tenant_id = ${tenantId} and machine_identifier = any(select 'm' || i from generate_series(${from}::int, ${to - 1}::int) i)`
}

/** Runs `work` for each of 0 to n - 1, `workers` at a time. */
export async function runConcurrently(
  n: number,
  workers: number,
  work: (i: number, worker: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (let i = next++; i < n; i = next++) await work(i, worker)
    }),
  )
}

/** Connections that stay open for the reads of a benchmark; destroy it at the end. */
export const readAgent = new Agent({ keepAlive: true, maxSockets: 16 })

/** The body of a GET that must answer 200. */
export function fetchText(url: string, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: readAgent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString()
        if (answer.statusCode === 200) resolve(text)
        else reject(new Error(`${answer.statusCode}: ${text.slice(0, 300)}`))
      })
    })
    request.on('error', reject)
  })
}
