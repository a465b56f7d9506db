import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import type { Sql } from 'postgres'
import postgres from '../src/db/driver.ts'
import { keptPort, type Program, run, until } from '../test/processes.ts'
import type { RowContext } from './row.ts'

/** The real hub in a process of its own, at the same addresses after every start. */
export interface HubProcess {
  readonly url: string
  readonly mqttUrl: string
  readonly pid: number
  /** starts the hub and waits until it is running; returns how many seconds that took */
  start(): Promise<number>
  /** names the program of the next starts, which may be that of another version */
  use(script: string): void
  /** starts the hub without waiting */
  launch(): Program
  /** runs a command of the operator with the hub's settings. @returns its exit code and output */
  command(args: string[]): Promise<{ code: number | NodeJS.Signals; out: string }>
  hasEnded(): boolean
  kill(): Promise<void>
  stop(): Promise<void>
  /** resident memory in MB, now and at its peak */
  memory(): { now: number; most: number }
  /** lines of its log since the last start that contain the text */
  logged(text: string): string[]
}

/** @param env settings beside the ports; without `DATABASE_URL` the hub supervises a PostgreSQL of its own in `DATA_DIR` */
export async function hubProcess(context: RowContext, env: Record<string, string> = {}): Promise<HubProcess> {
  let script = 'cloud-hub/src/main.ts'
  const [port, mqttPort] = [await keptPort(), await keptPort()]
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    MQTT_PORT: String(mqttPort),
    DATA_DIR: path.join(context.dir, 'hub'),
    SECRET_KEY: randomBytes(32).toString('base64'),
    OUTBOUND_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'info',
    SHARED_BUFFERS_MB: '128',
    ...env,
  }
  let program: Program | undefined
  /** programs that the row itself ended */
  const expectedEnds = new WeakSet<Program>()
  let isOver = false
  context.defer(() => {
    isOver = true
    return end('SIGKILL')
  })
  const hub: HubProcess = {
    url: `http://127.0.0.1:${port}`,
    mqttUrl: `mqtt://127.0.0.1:${mqttPort}`,
    get pid() {
      return program?.pid ?? 0
    },
    use(other) {
      script = other
    },
    launch() {
      if (isOver) throw new Error('the row is over')
      const mine = run(script, ['serve'], settings)
      program = mine
      mine.ended.then((code) => {
        if (!expectedEnds.has(mine)) context.reportFailure(`the hub ended by itself with ${code}: ${lastError(mine)}`)
      })
      return mine
    },
    async start() {
      const started = performance.now()
      const mine = hub.launch()
      let ended: number | NodeJS.Signals | undefined
      mine.ended.then((code) => {
        ended = code
      })
      await until(
        'the hub runs',
        () => {
          if (ended !== undefined) throw new Error('the hub could not start')
          return mine.out().includes('the hub is running')
        },
        180_000,
      )
      return (performance.now() - started) / 1000
    },
    async command(args) {
      const program = run(script, args, settings)
      const code = await program.ended
      return { code, out: program.out() + program.err() }
    },
    hasEnded: () => !program || program.child.exitCode !== null || program.child.signalCode !== null,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    memory: () => memoryOf(hub.pid),
    logged: (text) => (program?.out() ?? '').split('\n').filter((line) => line.includes(text)),
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!program) return
    expectedEnds.add(program)
    await program.end(signal)
  }
  return hub
}

/** The last error that a program printed: the first line that names an Error, or the last line. */
function lastError(program: Program): string {
  const lines = program.err().trim().split('\n')
  return (lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? '').slice(0, 300)
}

/** Resident memory of a process in MB. Source: proc_pid_status(5) */
export function memoryOf(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1_024)
  return { now: mb('VmRSS'), most: mb('VmHWM') }
}

/** The limit of additional memory while nothing can be stored, in MB. */
const MAX_GROWTH_MB = 300

/**
 * Reports a failure when the hub grew by more than the limit.
 * @param beforeMb an earlier `memory().now`
 * @returns text for the note
 */
export function checkMemory(context: RowContext, hub: HubProcess, beforeMb: number): string {
  const { most } = hub.memory()
  if (most > beforeMb + MAX_GROWTH_MB) context.reportFailure(`the hub grew from ${beforeMb} to ${most} MB`)
  return `memory ${beforeMb} -> ${most} MB`
}

/** Reads the state of the supervised PostgreSQL from its files, because it may restart at any moment. */
export function embeddedDatabase(dataDir: string) {
  const file = (name: string) => readFileSync(path.join(dataDir, 'postgres', name), 'utf8')
  const lines = () => file('postmaster.pid').split('\n')
  return {
    isThere: () => existsSync(path.join(dataDir, 'postgres', 'postmaster.pid')),
    pid: () => Number(lines()[0]),
    port: () => Number(lines()[3]),
    url: () => `postgres://postgres:${file('haltless-password')}@127.0.0.1:${lines()[3]}/postgres`,
  }
}

/** Lists all processes of the PostgreSQL in that data directory: each has it as its working directory. */
export function clusterProcesses(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === path.join(dataDir, 'postgres')
      } catch {
        return false // ended meanwhile
      }
    })
    .map(Number)
}

/** Tells whether the process is `parent` or a child of it. */
export function isOf(pid: number, parent: number): boolean {
  if (pid === parent) return true
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
  } catch {
    return true // ended meanwhile
  }
}

/** Runs work on a connection of the database owner. */
export async function asOwner<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 2, onnotice: () => {}, connection: { application_name: 'faults' } })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Throws unless durability is on, for the server and for every role: otherwise a run would prove nothing. */
export async function checkDurability(sql: Sql): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const [row] = await sql<Record<string, string>[]>`select current_setting(${setting}) as value`
    if (row?.value !== 'on') throw new Error(`${setting} is ${row?.value}: nothing would be proven`)
  }
  const own = await sql<{ setting: string }[]>`
    select setting from pg_db_role_setting, unnest(setconfig) setting where setting ~ '^(fsync|synchronous_commit|full_page_writes)='`
  if (own.length > 0)
    throw new Error(`${own.map(({ setting }) => setting).join(', ')} for a role or database: nothing would be proven`)
}
