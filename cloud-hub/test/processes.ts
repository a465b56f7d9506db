import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '../..')
export const NODEW = path.join(root, 'install/nodew')

export interface Program {
  child: ChildProcess
  pid: number
  out(): string
  err(): string
  /** exit code, or the signal that ended it */
  ended: Promise<number | NodeJS.Signals>
  /** ends it and waits for that */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

const running = new Set<Program>()

/** Of its output so much is kept. */
const OUTPUT_CHARS = 2_000_000

/** What a program of ours gets from this process: where programs, homes and temporary files are, and none of its settings. */
export const surroundings = () => {
  const { PATH, HOME, TMPDIR } = process.env
  return { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}) }
}

/**
 * Runs one of our programs under the pinned Node, with nothing of this process's settings but the path. It stops when this process is
 * gone, however that went. `TEST_LOGS=folder` keeps what it says.
 */
export function run(script: string, args: string[] = [], env: Record<string, string> = {}): Program {
  const follow = path.join(root, 'cloud-hub/src/demo/follow-parent.ts')
  const child = spawn(NODEW, ['--import', follow, script, ...args], {
    cwd: root,
    env: { ...surroundings(), SHARED_BUFFERS_MB: '128', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let out = ''
  let err = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out = (out + text).slice(-OUTPUT_CHARS)
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err = (err + text).slice(-OUTPUT_CHARS)
  })
  const ended = new Promise<number | NodeJS.Signals>((done) =>
    child.once('close', (code, signal) => {
      running.delete(program)
      done(code ?? (signal as NodeJS.Signals))
    }),
  )
  const program: Program = {
    child,
    pid: child.pid as number,
    out: () => out,
    err: () => err,
    ended,
    end: (signal) => {
      child.kill(signal)
      return ended
    },
  }
  const logs = process.env.TEST_LOGS
  if (logs) ended.then(() => writeFileSync(path.join(logs, `${path.basename(script, '.ts')}-${child.pid}.log`), out + err))
  running.add(program)
  return program
}

/** For `afterEach`: whatever a test left running. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map((program) => program.end('SIGKILL')))
}

/**
 * Waits for a condition, not for time: looks at once, then ever more rarely, up to once a second, so that a long wait whose look
 * sends requests stays within the hub's limit for a user.
 * @returns what it found; fails with what it was waiting for
 */
export async function until<T>(what: string, look: () => T | Promise<T>, limitMs = 120_000): Promise<NonNullable<T>> {
  for (const start = Date.now(); ; ) {
    const found = await look()
    if (found) return found
    const waitedMs = Date.now() - start
    if (waitedMs > limitMs) throw new Error(`waited in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(waitedMs / 10, 50), 1_000)))
  }
}

/** Processes of this machine whose command line holds `text`. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
      } catch {
        return false // ended meanwhile
      }
    })
    .map(Number)
}

/**
 * A port on 127.0.0.1 for a server that starts later, or is killed and comes back. It lies outside the range from which the system takes ports of outgoing
 * connections, one of which could hold it meanwhile; and it is this process's until that ends, because the port after it is listened on:
 * tests run side by side, and a server that starts takes a while until it listens.
 */
export async function keptPort(): Promise<number> {
  const [from, to] = keptRange()
  for (;;) {
    const port = 2 * Math.floor((from + Math.random() * (to - from)) / 2)
    const claim = await listen(port + 1)
    if (!claim) continue
    const probe = await listen(port)
    if (probe) {
      await new Promise((resolve) => probe.close(resolve))
      return port
    }
    claim.close()
  }
}

/** From 10,000 up to the ports of outgoing connections; where those begin early, what is above or below them. */
function keptRange(): readonly [from: number, to: number] {
  let [low, high] = [32_768, 60_999]
  try {
    const known = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/).map(Number)
    ;[low, high] = [known[0] ?? low, known[1] ?? high]
  } catch {} // not Linux: its usual range
  const spans = [[10_000, low - 2] as const, [high + 1, 65_534] as const, [2_000, low - 2] as const]
  return spans.find(([from, to]) => to - from > 1_000) ?? [10_000, 65_534]
}

/** A listener that keeps no process alive; undefined where the port is taken. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.unref()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

/** A port that is taken until `release`. */
export async function holdPort(): Promise<{ port: number; release(): Promise<void> }> {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { port, release: () => new Promise((resolve) => server.close(() => resolve())) }
}
