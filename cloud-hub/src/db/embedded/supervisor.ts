import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Binaries, usableBinaries } from './binaries.ts'
import { type Cluster, ensureCluster, resolveClusterPath } from './cluster.ts'
import { isAlive } from './is-alive.ts'
import { memoryFlags, SMALL_SHARED_BUFFERS_MB } from './memory.ts'
import { claimOwnership, isOwned, releaseOwnership } from './owner.ts'
import { findRunning, isSocketFailure, type Postmaster, startPostmaster, startWatchdog, stopPostmaster } from './postmaster.ts'
import { completeReplacement } from './replacement.ts'

/** Options of the embedded database. */
export interface EmbeddedOptions {
  /** the data directory; as root another one may be used, see `EmbeddedPostgres.dataDir` */
  dataDir: string
  /** default 128 */
  sharedBuffersMb?: number
  /** PostgreSQL's arguments, which win over those of `sharedBuffersMb`, such as `-c`, `max_connections=50`. By default fsync and synchronous_commit stay on */
  flags?: string[]
  /** receives messages for the operator, including PostgreSQL's log */
  log?: (line: string) => void
  /** on 127.0.0.1; default: any free port */
  port?: number
  /** restart the server when it ends unexpectedly; default true */
  restart?: boolean
  /** as root: where files for PostgreSQL's user are stored; default /var/lib/haltless */
  sharedHome?: string
  /** the arguments that make the server archive its WAL; undefined: it does not, unless its own configuration says so */
  archive?: (cluster: Cluster) => Promise<string[]>
}

/** A running database. A restart changes `pid`; `port`, and so every URL, stays. */
export interface EmbeddedPostgres {
  /** the actual data directory */
  readonly dataDir: string
  readonly port: number
  readonly pid: number
  /** another process started this server; while that one lives, `stop` leaves the server running */
  readonly adopted: boolean
  /** its Unix socket, which costs less than TCP; null: it has none */
  readonly socket: string | null
  /** connection string of the owner role, over TCP */
  url(database?: string): string
  /** called each time the server ends unexpectedly. @returns a function that unsubscribes */
  onExit(listener: () => void): () => void
  /** ends the supervision, then the server by fast shutdown. Safe to call twice */
  stop(): Promise<void>
}

const WATCH_MS = 100
/** Delay after a failed or short-lived start; a server that ran longer restarts without delay. */
const BACKOFF_MS = { first: 100, max: 5_000 }
const STEADY_MS = 1_000

/**
 * Starts PostgreSQL 18 on the data directory, or joins the server that already runs there. It creates the cluster when there is
 * none.
 * @throws with a sentence for the operator when that is impossible
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {})
  const home = options.sharedHome ?? '/var/lib/haltless'
  const cluster = resolveClusterPath(options.dataDir, home, log)
  await completeReplacement(cluster.dataDir, log)
  const binaries = await usableBinaries(cluster.user, cluster.user.uid === undefined ? `${cluster.dataDir}-programs` : home, log)
  const password = await ensureCluster(cluster, binaries)
  const archiving = options.archive ? await options.archive(cluster) : []
  const flags = [...memoryFlags(options.sharedBuffersMb ?? SMALL_SHARED_BUFFERS_MB), ...archiving, ...(options.flags ?? [])]
  const launch = async (port?: number) => {
    const server = await startOrJoin(cluster, binaries, { port, flags, log })
    if (options.archive && server.ours) wakeCheckpointer(server)
    return server
  }
  let current = await launch(options.port)
  const adopted = !current.ours
  const { port, socket } = current

  const listeners = new Set<() => void>()
  const stopping = new AbortController()
  const supervision = options.restart === false ? Promise.resolve() : supervise()

  /**
   * Restarts the server when it ends, until `stop`. All processes that joined a server supervise it; the first to notice restarts
   * it.
   */
  async function supervise(): Promise<void> {
    let wait = BACKOFF_MS.first
    let readySince = Date.now()
    while (await pause(WATCH_MS, stopping.signal)) {
      if (isRunning(current)) {
        if (Date.now() - readySince > STEADY_MS) wait = BACKOFF_MS.first
        continue
      }
      log(`PostgreSQL (process ${current.pid}) ended unexpectedly; the hub restarts it on port ${port}.`)
      current.stopWatchdog?.()
      for (const listener of listeners) listener()
      while (!isRunning(current) && (await pause(wait, stopping.signal))) {
        wait = Math.min(wait * 2, BACKOFF_MS.max)
        try {
          current = await launch(port)
          readySince = Date.now()
          log(`PostgreSQL has restarted (process ${current.pid}).`)
        } catch (error) {
          log(`PostgreSQL does not start; next attempt in ${wait} ms. ${(error as Error).message}`)
        }
      }
    }
  }

  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    stopping.abort()
    await supervision
    if (!current.ours && isOwned(cluster.dataDir)) return
    await stopPostmaster(current, cluster, binaries)
    current.stopWatchdog?.()
    releaseOwnership(cluster.dataDir)
  }

  return {
    dataDir: cluster.dataDir,
    port,
    socket,
    adopted,
    get pid() {
      return current.pid
    },
    url: (database = 'postgres') => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`,
    onExit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/**
 * The checkpointer that starts while the server recovers does not look at archive_timeout, and sleeps until the first checkpoint, which may be
 * 15 minutes away. A reload wakes it. Source: PostgreSQL 18, checkpointer.c (CheckpointerMain)
 */
function wakeCheckpointer({ pid }: Postmaster): void {
  if (process.platform === 'win32') return
  try {
    process.kill(pid, 'SIGHUP')
  } catch {
    // it has ended; the supervision starts it again
  }
}

interface Launch {
  port?: number
  flags: string[]
  log: (line: string) => void
}

async function startOrJoin(
  cluster: Cluster,
  binaries: Binaries,
  { port, flags, log }: Launch,
): Promise<Postmaster & { ours: boolean }> {
  let withSocket = true
  for (let attempt = 1; ; attempt++) {
    const running = await findRunning(cluster.dataDir)
    if (running) {
      if (port !== undefined && running.port !== port) {
        throw new Error(`PostgreSQL already serves ${cluster.dataDir}, on port ${running.port} and not on ${port}.`)
      }
      const ours = !isOwned(cluster.dataDir) && !(await isClaimedSoon(cluster.dataDir))
      if (ours) {
        // Its owner ended without stopping it: this process takes over.
        claimOwnership(cluster.dataDir)
        running.stopWatchdog = startWatchdog(running.pid)
      }
      log(`Joined the PostgreSQL that already runs here (process ${running.pid}, port ${running.port}).`)
      return { ...running, ours }
    }
    try {
      const started = await startPostmaster(cluster, binaries, { port: port ?? (await freePort()), withSocket, flags, log })
      claimOwnership(cluster.dataDir)
      return { ...started, ours: true }
    } catch (error) {
      // not every file system has sockets
      if (withSocket && isSocketFailure(error)) {
        withSocket = false
        log('PostgreSQL cannot listen on a Unix socket in its data directory; the hub connects over TCP.')
      }
      // Another process may have taken the port or started the server first: the next attempt settles both.
      if (attempt === 3) throw error
    }
  }
}

/** A process that has just started the server needs a moment to claim it. */
const CLAIM_MS = 500
const isClaimedSoon = async (dataDir: string): Promise<boolean> => {
  await sleep(CLAIM_MS)
  return isOwned(dataDir)
}

const isRunning = ({ pid, child }: Postmaster) => (child ? child.exitCode === null && child.signalCode === null : isAlive(pid))

/** @returns false when the signal ended the wait */
const pause = (ms: number, signal: AbortSignal) => sleep(ms, true, { signal, ref: false }).catch(() => false)

/** The first port that the system uses for outgoing connections, where known. Source: ip-sysctl, ip_local_port_range */
function firstOutgoingPort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0])
  } catch {
    return 32_768
  }
}

/**
 * A free port below those of outgoing connections, so that no other program gets it by chance during a restart. Any free port
 * when there is no room below.
 */
export async function freePort(): Promise<number> {
  const [low, high] = [10_000, firstOutgoingPort()]
  for (let tries = 0; tries < 20 && high - low > 1_000; tries++) {
    const port = await listenOn(randomInt(low, high)).catch(() => null)
    if (port) return port
  }
  return listenOn(0)
}

function listenOn(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
