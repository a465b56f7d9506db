import { existsSync } from 'node:fs'
import type { UpdateState } from '@haltless/protocol'
import Database from 'better-sqlite3'
import type { AgentStatus } from '../agent.ts'
import { bufferFile } from '../agent-paths.ts'
import type { DiskFault } from '../buffer/buffer.ts'
import { listGaps } from '../buffer/gaps.ts'
import { type BufferStats, readStats } from '../buffer/stats.ts'
import { clockText } from '../collectors/clock-text.ts'
import type { CollectorStatus } from '../collectors/collector.ts'
import { type DamagedFile, damagedFiles } from '../damaged-files.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { exposedSecretWarnings } from '../settings/secrets.ts'
import { readStatusFile, type StatusFile } from '../status-file.ts'
import { agentCommand } from '../support/agent-command.ts'
import { DataDirInUse, lockDataDir } from '../support/data-dir-lock.ts'
import { isWriteError } from '../support/disk-errors.ts'
import { shortError } from '../support/short-error.ts'
import { alignColumns, formatCount, formatDuration } from './output.ts'

/** A running agent writes its status every 5 s. */
const STALE_MS = 20_000
/** Clocks that differ by less are not mentioned. */
const CLOCK_NOTE_MS = 2_000

export interface StatusReport {
  agent_id: string
  data_dir: string
  is_running: boolean
  buffer: BufferStats
  config_file: string
  /** what is not as it should be on this computer */
  warnings: string[]
  /** what was damaged in the data directory, and set aside */
  damaged_files: DamagedFile[]
  gaps: ReturnType<typeof listGaps>
  /** the agent's last status file; null when no agent ran here */
  agent: StatusFile | null
}

const EMPTY: BufferStats = { buffered: 0, oldestAt: null, deadLetters: 0, dropped: 0, deadLettersDropped: 0, usedBytes: 0 }

/** Looks at an agent from outside: its buffer, its status file and whether it runs. Disturbs nothing. */
export function readStatus(config: AgentConfig): StatusReport {
  const { dataDir, agentId } = config
  const { db, fault } = openBuffer(bufferFile(dataDir))
  try {
    return {
      agent_id: agentId,
      data_dir: dataDir,
      is_running: isRunning(dataDir),
      buffer: db ? readStats(db) : EMPTY,
      config_file: config.file,
      warnings: [...fault, ...exposedSecretWarnings(config.secretFiles)],
      damaged_files: damagedFiles(dataDir),
      gaps: db ? listGaps(db, 20) : [],
      agent: readStatusFile(dataDir),
    }
  } finally {
    db?.close()
  }
}

/** SQLite needs to write even for reading, unless the agent was stopped in order. */
function openBuffer(file: string): { db: Database.Database | null; fault: string[] } {
  try {
    return { db: existsSync(file) ? new Database(file, { readonly: true, timeout: 2_000 }) : null, fault: [] }
  } catch (error) {
    if (!isWriteError(error)) throw error
    const unseen = 'its readings, and an agent that was started since, cannot be seen here'
    return { db: null, fault: [`the disk of the buffer accepts no write (${shortError(error)}): ${unseen}`] }
  }
}

/** Whether an agent holds the data directory; tells by trying. */
export function isRunning(dataDir: string): boolean {
  if (!existsSync(dataDir)) return false
  try {
    lockDataDir(dataDir, 0).release()
    return false
  } catch (error) {
    if (error instanceof DataDirInUse) return true
    throw error
  }
}

/** The report in words, aligned. @param now Unix ms */
export function formatStatus(
  { agent_id, data_dir, config_file, warnings, is_running, buffer, damaged_files, gaps, agent }: StatusReport,
  now: number,
): string {
  const fault = is_running ? (agent?.buffer as AgentStatus['buffer'] | undefined)?.fault : null
  const isStale = is_running && agent !== null && Math.abs(now - agent.writtenAt) > STALE_MS
  const clockNow = (is_running && agent && readingClockNow(agent, now)) || now
  const ago = (at: number | null) => (at === null ? 'never' : `${formatDuration(now - at)} ago`)
  const readAgo = (at: number | null) => (at === null ? 'never' : `${formatDuration(clockNow - at)} ago`)
  const running =
    is_running && agent
      ? `running for ${formatDuration(now - agent.startedAt)} (version ${agent.version}, process ${agent.pid})`
      : 'not running'
  const rows = [
    ['agent', `${agent_id}, ${running}`],
    ['data', data_dir],
    ...(is_running && agent ? [...connectionRows(agent, ago), ...clockRows(agent), ...updateRows(agent)] : []),
    ['buffered', buffered(buffer, clockNow + (agent?.readingClock?.offsetMs ?? 0))],
    [
      'dead letters',
      `${formatCount(buffer.deadLetters, 'reading')} that the hub rejected${buffer.deadLetters ? `; list them: ${agentCommand(config_file, 'dead-letters')}` : ''}`,
    ],
    ['dropped', formatCount(buffer.dropped + (fault?.lostReadings ?? 0), 'reading')],
    ...(fault ? [['disk', `accepts no write (${fault.reason}): readings are ${diskConsequence(fault)} until it does`]] : []),
    ...(isStale
      ? [
          [
            'warning',
            `the agent last wrote its status ${ago((agent as StatusFile).writtenAt)}: it hangs, or its disk accepts no write`,
          ],
        ]
      : []),
    ...gaps.map((gap) => [
      '  gap',
      `${gap.machine_identifier} ${gap.metric_name}: ${gap.count} from ${gap.from} to ${gap.to} (${gap.reason})`,
    ]),
    ...damaged_files.map(({ name, consequence }) => ['damaged', `${name} was set aside; ${consequence}`]),
    ...warnings.map((warning) => ['warning', warning]),
  ]
  const collectors = is_running && agent ? collectorRows(agent, readAgo) : []
  return collectors.length > 0 ? `${alignColumns(rows)}\ncollectors\n${alignColumns(collectors, '  ')}` : alignColumns(rows)
}

const diskConsequence = ({ isKeptInMemory }: DiskFault): string => (isKeptInMemory ? 'kept in memory only, up to 64 MB,' : 'lost')

function buffered({ buffered, oldestAt, usedBytes }: BufferStats, now: number): string {
  const oldest = oldestAt === null ? '' : `, the oldest for ${formatDuration(now - oldestAt)}`
  return `${formatCount(buffered, 'reading')}${oldest} (${(usedBytes / 1_048_576).toFixed(1)} MB)`
}

function connectionRows({ uplink, hub }: StatusFile, ago: (at: number | null) => string): string[][] {
  const via = uplink.via ? `${uplink.state} over ${uplink.via}` : uplink.state
  return [
    ['hub', hub.detail ? `${hub.detail} (last answer ${ago(hub.lastAnswerAt)})` : `answered ${ago(hub.lastAnswerAt)}`],
    ['uplink', `${via}${uplink.detail ? `: ${uplink.detail}` : ''}, last receipt ${ago(uplink.lastReceiptAt)}`],
  ]
}

const UPDATE_WORDS: Record<UpdateState, string> = {
  waiting: 'waits',
  downloading: 'is being downloaded',
  verified: 'is verified, and is about to be installed',
  switched: 'runs on trial',
  confirmed: 'was installed',
  rolled_back: 'was installed and taken back',
  refused: 'was refused',
}

/** The newest update; without any, why there are none. An agent from before had no updates. */
function updateRows({ update }: Partial<StatusFile>): string[][] {
  if (!update) return []
  const { accepts, why_not, state, version, reason, at, window } = update
  if (state && version)
    return [
      [
        'update',
        `version ${version} ${UPDATE_WORDS[state]} (${at?.slice(0, 16).replace('T', ' ')} UTC)${reason ? `: ${reason}` : ''}`,
      ],
    ]
  if (!accepts) return [['update', `none from the hub: ${why_not}`]]
  return window ? [['update', `from the hub, ${window}`]] : []
}

function collectorRows({ collectors }: StatusFile, ago: (at: number | null) => string): string[][] {
  return Object.entries(collectors).map(
    ([name, { state, detail, lastReadAt, readingsTotal, badTags, missedPolls, sourceClock }]) => {
      const bad =
        badTags.length > 0 ? `, ${formatCount(badTags.length, 'bad tag')}: ${badTags[0]?.rawTag} (${badTags[0]?.reason})` : ''
      const clock = sourceClock ? clockText(sourceClock) : ''
      return [
        name,
        detail ? `${state}: ${detail}` : state,
        `last reading ${ago(lastReadAt)}, ${formatCount(readingsTotal, 'reading')}${missed(missedPolls)}${bad}${clock && `; ${clock}`}`,
      ]
    },
  )
}

function missed({ skipped, failed }: CollectorStatus['missedPolls']): string {
  const parts = [failed > 0 && `${failed} without an answer`, skipped > 0 && `${skipped} skipped during a slow one`].filter(
    Boolean,
  )
  return parts.length === 0 ? '' : `, ${formatCount(skipped + failed, 'missed poll')} since its start: ${parts.join(', ')}`
}

/** What the clock that dates readings says now. Agents before this one had none of their own. */
const readingClockNow = ({ readingClock, writtenAt }: StatusFile, now: number): number | undefined =>
  (readingClock as StatusFile['readingClock'] | undefined) && readingClock.now + (now - writtenAt)

/** Only when there is something to say. */
function clockRows({ readingClock }: StatusFile): string[][] {
  const { offsetMs = 0, wallOffsetMs = null } = (readingClock as StatusFile['readingClock'] | undefined) ?? {}
  const isWrong = wallOffsetMs !== null && Math.abs(wallOffsetMs) >= CLOCK_NOTE_MS
  const words = [
    isWrong &&
      `that of this computer is ${formatDuration(Math.abs(wallOffsetMs))} ${wallOffsetMs > 0 ? 'behind' : 'ahead of'} that of the hub`,
    offsetMs === null && 'not compared with that of the hub yet; timestamps are corrected before readings are sent',
    offsetMs && 'readings are sent with the time of the hub',
  ].filter(Boolean)
  return words.length > 0 ? [['clock', words.join('; ')]] : []
}
