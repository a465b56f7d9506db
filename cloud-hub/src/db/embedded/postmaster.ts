import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { type Cluster, cleanEnvironment } from './cluster.ts'
import { isAlive } from './is-alive.ts'

/** A PostgreSQL server that accepts connections. `child` only when this process started it. */
export interface Postmaster {
  pid: number
  port: number
  /** its Unix socket; null: it has none */
  socket: string | null
  child?: ChildProcess
  /** ends the watchdog, if this process started one */
  stopWatchdog?: () => void
}

/** After a reboot or in a new container, a stored process id may belong to any process. The command line decides. */
function serves(pid: number, dataDir: string): boolean {
  if (!isAlive(pid)) return false
  try {
    if (process.platform === 'win32') return true
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(dataDir)
    // The owner must match too: any user can forge a command line, and root sends signals to this process.
    if (statSync(`/proc/${pid}`).uid !== statSync(dataDir).uid) return false
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(dataDir)
  } catch {
    return false
  }
}

const socketOf = (directory: string, port: number) => path.join(directory, `.s.PGSQL.${port}`)

/** The bytes that a path of a Unix socket may have on every system. Source: sys/un.h, sun_path */
const MAX_SOCKET_PATH = 103

/** Only PostgreSQL's user and root reach a socket in the data directory. Paths in a list of directories may stand in double quotes. */
function socketFlag(dataDir: string, port: number): string {
  const isPossible = process.platform !== 'win32' && Buffer.byteLength(socketOf(dataDir, port)) <= MAX_SOCKET_PATH
  return `unix_socket_directories=${isPossible ? `"${dataDir.replaceAll('"', '""')}"` : ''}`
}

const pidFile = (dataDir: string) => path.join(dataDir, 'postmaster.pid')

/**
 * Lines of postmaster.pid: process id, data directory, start time, port, directory of the Unix socket, ..., state on line 8.
 * Source: PostgreSQL, miscadmin.h (LOCK_FILE_LINE_*)
 */
function readPidFile(dataDir: string): { pid: number; port: number; socket: string | null; ready: boolean } | null {
  try {
    const lines = readFileSync(pidFile(dataDir), 'utf8').split('\n')
    const port = Number(lines[3])
    return {
      pid: Number(lines[0]),
      port,
      socket: lines[4] ? socketOf(lines[4], port) : null,
      ready: lines[7]?.trim() === 'ready',
    }
  } catch {
    return null
  }
}

/** The server that already runs on this data directory, after waiting while it starts or stops; null when there is none. */
export async function findRunning(dataDir: string, patienceMs = 60_000): Promise<Postmaster | null> {
  for (const end = Date.now() + patienceMs; ; await sleep(25)) {
    const found = readPidFile(dataDir)
    if (!found || !serves(found.pid, dataDir)) return null
    if (found.ready) return { pid: found.pid, port: found.port, socket: found.socket }
    if (Date.now() > end)
      throw new Error(
        `Process ${found.pid} uses the database at ${dataDir} but neither becomes ready nor ends: end it and start again.`,
      )
  }
}

/**
 * Starts a server on 127.0.0.1 and waits until it accepts connections.
 * @param withSocket also on a Unix socket in its data directory, where the path is short enough
 * @throws with PostgreSQL's output when it ends before that
 */
export async function startPostmaster(
  { dataDir, user }: Cluster,
  binaries: Binaries,
  { port, withSocket, flags, log }: { port: number; withSocket: boolean; flags: string[]; log: (line: string) => void },
): Promise<Postmaster> {
  disownPidFile(dataDir)
  removeStaleSockets(dataDir)
  const socket = withSocket ? socketFlag(dataDir, port) : 'unix_socket_directories='
  const listen = ['-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', socket]
  // Detached: Ctrl-C signals the whole process group, and the database must outlive the last transactions.
  const child = spawn(binaries.program('postgres'), ['-D', dataDir, ...listen, ...flags], {
    ...user,
    cwd: '/',
    env: cleanEnvironment(),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4_000)
    for (const line of text.split('\n')) if (line.trim()) log(line)
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) =>
      reject(new Error(`PostgreSQL ended (${code ?? signal}) while starting: ${output.trim()}`)),
    )
  })
  failed.catch(() => {})
  if (child.pid === undefined) return failed
  const stopWatchdog = startWatchdog(child.pid)
  child.once('exit', stopWatchdog)
  const ready = async (pid: number): Promise<Postmaster> => {
    for (;;) {
      const found = readPidFile(dataDir)
      if (found?.ready && found.pid === pid) return { pid, port, socket: found.socket, child, stopWatchdog }
      if (child.exitCode !== null || child.signalCode !== null) return failed
      await sleep(10)
    }
  }
  const postmaster = await Promise.race([ready(child.pid), failed])
  child.unref()
  ;(child.stderr as unknown as { unref(): void }).unref()
  return postmaster
}

/**
 * PostgreSQL does not start while the process named in its lock file exists, whichever program that is. The file must stay,
 * because its memory key lets PostgreSQL detect orphaned backends. So this replaces a foreign process id by ours, which
 * PostgreSQL ignores as its parent.
 */
function disownPidFile(dataDir: string): void {
  const found = readPidFile(dataDir)
  if (!found || !isAlive(found.pid) || serves(found.pid, dataDir)) return
  const [, ...rest] = readFileSync(pidFile(dataDir), 'utf8').split('\n')
  // The folder belongs to PostgreSQL's user and we may be root: links are not followed.
  const file = openSync(pidFile(dataDir), constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0))
  writeFileSync(file, [String(process.pid), ...rest].join('\n'))
  closeSync(file)
}

/**
 * Removes sockets that a killed server left behind. As with `postmaster.pid`, PostgreSQL does not start while the process named in
 * the lock file of its socket exists, and each start of a hub may have another port. Files that cannot be read or removed stay:
 * PostgreSQL says so where they matter.
 */
function removeStaleSockets(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((each) => /^\.s\.PGSQL\.\d+\.lock$/.test(each))) {
    const lock = path.join(dataDir, name)
    try {
      const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10)
      if (Number.isNaN(pid) || serves(pid, dataDir)) continue
      rmSync(lock.slice(0, -'.lock'.length), { force: true })
      rmSync(lock, { force: true })
    } catch {}
  }
}

/** Whether PostgreSQL did not start because of its Unix socket. It runs with `LC_ALL=C`, so its messages are English. */
export const isSocketFailure = (error: unknown): boolean => /Unix-domain socket|\.s\.PGSQL\./.test((error as Error).message)

/**
 * Starts a watchdog that stops the server when this process ends, even by SIGKILL: the end closes the watchdog's pipe.
 * @returns a function that ends the watchdog, for when the process id no longer belongs to the server
 */
export function startWatchdog(pid: number): () => void {
  if (process.platform === 'win32') return () => {}
  const script = 'trap "" INT TERM HUP; read word; [ "$word" = leave ] || kill -INT "$1" 2>/dev/null'
  const watchdog = spawn('/bin/sh', ['-c', script, 'postgres-watchdog', String(pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.on('error', () => {})
  watchdog.stdin.on('error', () => {})
  watchdog.unref()
  ;(watchdog.stdin as unknown as { unref(): void }).unref()
  return () => watchdog.stdin.end('leave\n')
}

/**
 * Fast shutdown: transactions roll back, committed data is on disk. After 60 s immediate shutdown, which recovers at the next
 * start.
 */
export async function stopPostmaster({ pid }: Postmaster, { dataDir, user }: Cluster, binaries: Binaries): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!serves(pid, dataDir)) return
    if (process.platform === 'win32') {
      // Windows has no signals: process.kill would end it like a power failure.
      spawn(binaries.program('pg_ctl'), ['stop', '-D', dataDir, '-m', 'fast'], { ...user, stdio: 'ignore' })
    } else {
      try {
        process.kill(pid, signal)
      } catch {
        return
      }
    }
    for (const end = Date.now() + 60_000; Date.now() < end && isAlive(pid); ) await sleep(10)
  }
}
