import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import { NODEW, type Program, root, run, until } from '../../test/processes.ts'
import type { RowContext } from '../row.ts'

/** The real agent (`edge-agent/src/main.ts run`) in a process of its own, on the same data directory after every start. */
export interface AgentProcess {
  readonly dataDir: string
  /** starts the agent and waits until its log reports the start */
  start(): Promise<void>
  kill(): Promise<void>
  stop(): Promise<void>
  /** its `buffer` settings from the next start on, and its collectors where they change */
  configure(buffer: object, collectors?: readonly object[]): void
  /** sets the offset of its wall clock in ms */
  setClock(offsetMs: number): void
  /** the transport in its status: `mqtt`, `websocket`, `http`, or null for none */
  via(): string | null
  /** the uplink state in its status: `sending`, `held`, ... */
  state(): string
  /** the counters of its buffer: readings waiting, dropped, parked */
  counts(): BufferCounts
  /** the parked readings, newest first, from the `dead-letters` command */
  deadLetters(): Promise<{ code: string; reading: { machine: string; metric: string; unit: string; value: number } }[]>
  /** lines of its log since the last start that contain the text */
  logged(text: string): string[]
}

export interface AgentSettings {
  agentId: string
  hubUrl: string
  apiKey: string
  collectors: object[]
  dataDir?: string
  uplink?: object
  buffer?: object
}

const AGENT = 'edge-agent/src/main.ts'
const CLOCK = pathToFileURL(path.join(import.meta.dirname, '../shifted-clock.ts')).href

/** Counters of an agent's buffer: readings waiting, dropped, parked. */
export interface BufferCounts {
  buffered: number
  dropped: number
  dead_letters: number
}

/** Reads them from the database of the buffer, which an agent may be using. */
export function bufferCounts(dataDir: string): BufferCounts {
  const counts = { buffered: 0, dropped: 0, dead_letters: 0 }
  const file = path.join(dataDir, 'buffer.sqlite')
  if (!existsSync(file)) return counts
  const db = new DatabaseSync(file, { readOnly: true, timeout: 2_000 })
  try {
    for (const { name, value } of db.prepare('select name, value from counters').all())
      Object.assign(counts, { [String(name)]: Number(value) })
    return counts
  } finally {
    db.close()
  }
}

export function agentProcess(context: RowContext, settings: AgentSettings): AgentProcess {
  const home = path.join(context.dir, settings.agentId)
  const dataDir = settings.dataDir ?? path.join(home, 'data')
  const [config, clock] = [path.join(home, 'agent.yaml'), path.join(home, 'clock')]
  mkdirSync(home)
  writeFileSync(clock, '0')
  const configure = (buffer: object, collectors: readonly object[] = settings.collectors) =>
    writeFileSync(
      config,
      stringify({
        hub: { url: settings.hubUrl, api_key: settings.apiKey },
        agent_id: settings.agentId,
        data_dir: dataDir,
        buffer,
        uplink: { receipt_timeout_seconds: 2, ...settings.uplink },
        collectors,
      }),
    )
  configure(settings.buffer ?? {})
  let program: Program | undefined
  /** programs that the row itself ended */
  const expectedEnds = new WeakSet<Program>()
  const end = async (signal: NodeJS.Signals) => {
    if (!program) return
    expectedEnds.add(program)
    await program.end(signal)
  }
  let isOver = false
  context.defer(() => {
    isOver = true
    return end('SIGKILL')
  })
  const status = () => {
    try {
      return JSON.parse(readFileSync(path.join(dataDir, 'status.json'), 'utf8')) as {
        uplink: { state: string; via: string | null }
      }
    } catch {
      return null
    }
  }
  return {
    dataDir,
    async start() {
      if (isOver) throw new Error('the row is over')
      const mine = run(AGENT, ['run', '--config', config], { FAULTS_CLOCK: clock, NODE_OPTIONS: `--import=${CLOCK}` })
      program = mine
      mine.ended.then((code) => {
        if (!expectedEnds.has(mine))
          context.reportFailure(`the agent ended by itself with ${code}: ${mine.err().slice(0, 2_000)}`)
      })
      await until('the agent has started', () => mine.out().includes('"started"') || mine.child.exitCode !== null, 60_000)
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    configure,
    setClock: (offsetMs) => writeFileSync(clock, String(offsetMs)),
    via: () => status()?.uplink.via ?? null,
    state: () => status()?.uplink.state ?? '',
    counts: () => bufferCounts(dataDir),
    async deadLetters() {
      const args = [AGENT, 'dead-letters', '--json', '--limit', '1000000', '--config', config]
      return JSON.parse((await promisify(execFile)(NODEW, args, { cwd: root, maxBuffer: 2 ** 30 })).stdout)
    },
    logged: (text) => (program?.out() ?? '').split('\n').filter((line) => line.includes(text)),
  }
}
