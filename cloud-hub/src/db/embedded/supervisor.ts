import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Binaries, usableBinaries } from './binaries.ts'
import { type Cluster, ensureCluster, resolveClusterPath } from './cluster.ts'
import { isAlive } from './is-alive.ts'
import { claimOwnership, isOwned, releaseOwnership } from './owner.ts'
import { findRunning, type Postmaster, startPostmaster, startWatchdog, stopPostmaster } from './postmaster.ts'

/** How to run the embedded database. */
export interface EmbeddedOptions {
  /** the cluster's own folder; as root it may be exchanged, see `dataDir` of the answer */
  dataDir: string
  /** PostgreSQL's arguments, such as `-c`, `max_connections=50`. Nothing is given away by default: fsync and full commits stay on */
  flags?: string[]
  /** told in plain words what is going on, PostgreSQL's own log included */
  log?: (line: string) => void
  /** 127.0.0.1 only; default: any free one */
  port?: number
  /** whether a server that dies is brought back; default true */
  restart?: boolean
  /** where root keeps what PostgreSQL's user must reach; default /var/lib/haltless */
  sharedHome?: string
}

/** A running database. `pid` changes when it was brought back; `port`, and so every URL, stays. */
export interface EmbeddedPostgres {
  /** where the cluster really is */
  readonly dataDir: string
  readonly port: number
  readonly pid: number
  /** another process started this server; as long as that one lives, `stop` leaves it running */
  readonly adopted: boolean
  /** connection string of the owner role */
  url(database?: string): string
  /** called each time the server was found dead, except by `stop`. @returns a function that ends the subscription */
  onExit(listener: () => void): () => void
  /** ends the supervision, then the server: fast shutdown, everything committed stays. Safe to call twice */
  stop(): Promise<void>
}

const WATCH_MS = 100
/** Between starts that fail, or that are followed by an end at once; a server that ran is started again without delay. */
const BACKOFF_MS = { first: 100, max: 5_000 }
const STEADY_MS = 1_000

/**
 * Starts PostgreSQL 18 on the data directory, or joins the one that runs there already; makes the cluster when there is none.
 * @throws with a sentence for a person when that is impossible
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {})
  const home = options.sharedHome ?? '/var/lib/haltless'
  const cluster = resolveClusterPath(options.dataDir, home, log)
  const binaries = await usableBinaries(cluster.user, cluster.user.uid === undefined ? `${cluster.dataDir}-programs` : home, log)
  const password = await ensureCluster(cluster, binaries)
  const launch = (port?: number) => startOrJoin(cluster, binaries, { port, flags: options.flags ?? [], log })
  let current = await launch(options.port)
  const adopted = !current.ours
  const port = current.port

  const listeners = new Set<() => void>()
  const stopping = new AbortController()
  const supervision = options.restart === false ? Promise.resolve() : supervise()

  /** Looks after the server until `stop`. One that this process merely joined is looked after too: whoever comes first brings it back. */
  async function supervise(): Promise<void> {
    let wait = BACKOFF_MS.first
    let readySince = Date.now()
    while (await pause(WATCH_MS, stopping.signal)) {
      if (isRunning(current)) {
        if (Date.now() - readySince > STEADY_MS) wait = BACKOFF_MS.first
        continue
      }
      log(`PostgreSQL (process ${current.pid}) has ended unexpectedly; it is started again on port ${port}.`)
      current.stopWatchdog?.()
      for (const listener of listeners) listener()
      while (!isRunning(current) && (await pause(wait, stopping.signal))) {
        wait = Math.min(wait * 2, BACKOFF_MS.max)
        try {
          current = await launch(port)
          readySince = Date.now()
          log(`PostgreSQL is back (process ${current.pid}).`)
        } catch (error) {
          log(`PostgreSQL does not start yet; next try in ${wait} ms. ${(error as Error).message}`)
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
  for (let attempt = 1; ; attempt++) {
    const running = await findRunning(cluster.dataDir)
    if (running) {
      if (port !== undefined && running.port !== port) {
        throw new Error(`PostgreSQL already serves ${cluster.dataDir}, on port ${running.port} and not on ${port}.`)
      }
      const ours = !isOwned(cluster.dataDir)
      if (ours) {
        // its owner died and left it running: it is ours to stop now
        claimOwnership(cluster.dataDir)
        running.stopWatchdog = startWatchdog(running.pid)
      }
      log(`Joined the PostgreSQL that already runs here (process ${running.pid}, port ${running.port}).`)
      return { ...running, ours }
    }
    try {
      const started = await startPostmaster(cluster, binaries, port ?? (await freePort()), flags, log)
      claimOwnership(cluster.dataDir)
      return { ...started, ours: true }
    } catch (error) {
      // the free port was taken in between, or another process was a moment faster: both are settled by another look
      if (attempt === 3) throw error
    }
  }
}

const isRunning = ({ pid, child }: Postmaster) => (child ? child.exitCode === null && child.signalCode === null : isAlive(pid))

/** @returns false when the wait was ended by the signal */
const pause = (ms: number, signal: AbortSignal) => sleep(ms, true, { signal, ref: false }).catch(() => false)

/** Where the system takes ports of outgoing connections from, as far as it tells. Source: ip-sysctl, ip_local_port_range */
function firstOutgoingPort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0])
  } catch {
    return 32_768
  }
}

/**
 * A free port below those of outgoing connections: while the server is away nobody else is given it by chance, so that it can come back on
 * the same. Any free one where there is no room below.
 */
async function freePort(): Promise<number> {
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
