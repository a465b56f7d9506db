import {
  type Fault,
  fault,
  type MissedPollCounts,
  type ModbusConfig,
  type OpcUaConfig,
  type Reading,
  type ReadingColumns,
  type SourceBrowse,
  type SourceBrowseAnswer,
} from '@haltless/protocol'
import type { ZodType } from 'zod'
import type { Clock } from '../support/clock.ts'
import type { CollectorContract, TagList } from './contract.ts'
import type { FileConfig } from './file/contract.ts'
import type { MissedPollSpan } from './missed-polls.ts'
import type { MqttConfig } from './mqtt/contract.ts'
import type { S7Config } from './s7/contract.ts'
import type { SparkplugConfig } from './sparkplug/contract.ts'

/** What one collector polls. The agent makes it from agent.yaml or from a pushed polling source, the hub from a polling source. */
export type CollectorSource = OpcUaSource | ModbusSource | S7Source | FileSource | MqttSource | SparkplugSource

interface SourceBase {
  /** unique among the collectors of one program; the key of its status in heartbeats */
  name: string
  /** `machine_identifier` of its tags, unless a tag names its own */
  machine: string
  /** seconds between polls, fractions allowed; 0 polls as fast as the device answers (only benchmarks do) */
  pollIntervalSeconds: number
  /** the polling source of the hub that it was made from, whatever its name; absent: it stands in agent.yaml */
  sourceId?: string
}
/** What is reached over the network. */
interface NetworkSource extends SourceBase {
  /** host name or address */
  host: string
  port: number
}
export interface OpcUaSource extends NetworkSource {
  protocol: 'opcua'
  config: OpcUaConfig
}
export interface ModbusSource extends NetworkSource {
  protocol: 'modbus'
  config: ModbusConfig
}
export interface S7Source extends NetworkSource {
  protocol: 's7'
  config: S7Config
}
export interface FileSource extends SourceBase {
  protocol: 'file'
  config: FileConfig
}
export interface MqttSource extends NetworkSource {
  protocol: 'mqtt'
  config: MqttConfig
}
export interface SparkplugSource extends NetworkSource {
  protocol: 'sparkplug'
  config: SparkplugConfig
}

/** Host and port of a source; undefined for one that is not reached over the network. */
export const deviceOf = (source: CollectorSource): { host: string; port: number } | undefined =>
  'host' in source ? { host: source.host, port: source.port } : undefined

/** The part of pino that collectors use. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Dates readings. */
export interface CollectorClock extends Clock {
  /**
   * What to add to `now` for the right time; absent: nothing. While it is null, readings get the instant of their poll and not the source
   * timestamp of their device, because the two cannot be compared.
   */
  readonly offsetMs?: number | null
  /** what it was at the start of the computer, Unix ms, where it continues by the monotonic clock */
  readonly anchorMs?: number
}

/** How far a source that can be read again, such as a file, has been read with some readings. */
export interface Progress {
  /** `state` is the collector's own; null forgets the key */
  checkpoints: { key: string; state: string | null }[]
  /** the timestamps are those of the source and right as they are; false: the clock of {@link CollectorDeps} dated the readings */
  hasOwnTime: boolean
  /** what was left out on the way there */
  missed: MissedPollSpan[]
}

/** The namespaces that the node ids of an OPC UA collector were written for, kept by the program around it. */
export interface NamespaceStore {
  /** the NamespaceArray of the first session; null: there was none */
  remembered(): readonly string[] | null
  /**
   * A session found these. The first ones are remembered, and what the server adds to them; others are noted for people. Resolves when that is
   * on disk, or could not be written; never rejects.
   */
  found(uris: readonly string[]): Promise<void>
}

export interface CollectorDeps {
  clock: CollectorClock
  logger: Logger
  /** Folder of OPC UA keys and certificates (own, trusted, rejected), made on first use. */
  pkiDir: string
  /**
   * Turns a source's host (and port) into the address to dial, and throws where it must not be dialled. Only the answer is dialled; host names
   * that a server returns in its endpoints are ignored. Without it the system's resolver decides. Modbus collectors that are given the
   * same function (or none) share the connection to a host and port.
   */
  resolveHost?: (host: string, port: number) => Promise<string>
  /**
   * Stores good readings, at least one at a time; their series table is the same object every time. Polling continues meanwhile,
   * so that devices and disk work in parallel. When a few polls wait, a slow disk slows polling down.
   * @param progress of a source that can be read again: stored with the readings, all or nothing
   * @returns false when they could not be stored
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most callers have nothing to report
  onReadings: (readings: ReadingColumns, progress?: Progress) => void | boolean | Promise<void | boolean>
  /**
   * What this collector stored as its progress, by key; null while that cannot be read. Absent: this program keeps none, and collectors of
   * sources that can be read again do not run.
   */
  checkpoints?: () => ReadonlyMap<string, string> | null
  /** Absent: nothing is remembered beyond this process. */
  namespaces?: NamespaceStore
  /** Asked at every poll: false closes the connection and stops polling until it is true again. Absent: always true. */
  mayPoll?: () => boolean
  /** records polls that brought nothing */
  onMissedPolls?: (spans: MissedPollSpan[]) => void
  /** 0 <= random() < 1, for the jitter of backoff */
  random?: () => number
  /** how to trust a server's certificate here, as the end of a sentence */
  trustAdvice: (thumbprint: string) => string
}

/**
 * ```
 * starting -> running <-> reconnecting     (the connection is lost or cannot be made)
 *                 \ <---> failing          (connected or not, it needs a person: trust, password, a wrong setting, no readable tag)
 *                  \ <--> paused           (not connected: the buffer is full and its drop policy is `stop`)
 * any -> stopped
 * ```
 * All states but `stopped` go on trying by themselves.
 */
export type CollectorState = 'starting' | 'running' | 'reconnecting' | 'failing' | 'paused' | 'stopped'

export interface CollectorStatus {
  state: CollectorState
  /** plain words for the operator, '' when there is nothing to say */
  detail: string
  /** the same as a fault; null when there is nothing to say */
  fault: Fault | null
  /** Unix ms of the last poll that the device answered, or sign of life of a subscription; null before the first */
  lastAnswerAt: number | null
  /** Unix ms of the last poll or notification that brought a good value, null before the first */
  lastReadAt: number | null
  /** good readings handed to `onReadings` since start */
  readingsTotal: number
  /** values of Bad or Uncertain quality, not finite, or not numeric, that were left out since start */
  badValuesTotal: number
  /** tags that gave no good value at their last reading */
  badTags: BadTag[]
  /** its source reports when it has something: no reading for a while is no fault */
  isEventDriven?: true
  /** poll instants since start that brought nothing: `skipped` passed during an earlier poll or a pause, `failed` got no answer */
  missedPolls: MissedPollCounts
  /** absent: the source has no clock, or nothing is known of it yet */
  sourceClock?: SourceClockStatus
}

/** How far the clock of a source is off, and whether it dates readings. */
export interface SourceClockStatus {
  /** ahead of the right time, ms; negative: behind */
  aheadMs: number
  /** false: readings get the time at which they were polled or arrived */
  isUsed: boolean
  /** false: the values may also have been late by as much, on their way */
  isExact: boolean
}

export interface BadTag {
  /** the tag as the device knows it: an OPC UA node id, or `holding:100` */
  rawTag: string
  metric: string
  /** plain words */
  reason: string
  /** the same as a fault */
  fault: Fault
  /** answered polls since it turned bad, which brought other tags only */
  missedPolls: number
}

/** Polls one source from `start` until `stop`, reconnecting by itself. */
export interface Collector {
  readonly name: string
  /** Returns at once; what happens shows in `status()`. Started once. */
  start(): void
  /** Closes the session and the connection; prompt even while connecting. No reading is handed out after it has resolved. */
  stop(): Promise<void>
  status(): CollectorStatus
}

/** What one connection to a source found: for the command `check` and for the hub's test-connection. */
export interface ProbeResult {
  /** connected, and every tag gave a good value */
  ok: boolean
  /** the other side speaks the protocol; when false, `summary` may describe an unrelated service at that address */
  answered: boolean
  /** one sentence for a person: what is right, or what is wrong and what to do about it */
  summary: string
  /** what was found beside that, line by line: server, endpoints offered, first values, bad tags with their reasons */
  lines: string[]
  /** what the device allows, or how fast it answers, for people */
  limits?: string[]
  /** how far the clock of the device is ahead of that of this program, ms; null when the protocol does not tell */
  clockAheadMs: number | null
  /** first values of the good tags */
  readings: Reading[]
  badTags: BadTag[]
}

/** One protocol: its particulars, a collector, and a single probe of a source. The hub switches on no protocol itself. */
export interface ProtocolAdapter<Source extends CollectorSource>
  extends Omit<CollectorContract, 'config' | 'tagList' | 'configFaults' | 'inBundle' | 'namesOf'> {
  config: ZodType<Source['config']> & { shape: Record<string, ZodType> }
  /** key of the configuration that lists the tags */
  tagList: Extract<keyof Source['config'], TagList>
  configFaults(config: Source['config']): { path: string; message: string }[]
  /** devices know the collector by a certificate in `pkiDir` */
  needsClientIdentity: boolean
  create(source: Source, deps: CollectorDeps): Collector
  /** Never rejects: the result names what fails. */
  probe(source: Source, deps: ProbeDeps, signal: AbortSignal): Promise<ProbeResult>
  /** Shows what the device of a source holds; null: the protocol has nothing to browse. */
  browser: DeviceBrowser<Source> | null
}

/** What a person may ask of a device. */
export interface DeviceBrowser<Source extends CollectorSource> {
  /** the field that a query needs and lacks, in words; null: none */
  missing(query: SourceBrowse): { field: keyof SourceBrowse; message: string } | null
  /** @param visitMax nodes that are looked at before a search gives up. @throws Error when the device does not answer */
  browse(
    source: Source,
    query: SourceBrowse,
    visitMax: number,
    deps: ProbeDeps,
    signal: AbortSignal,
  ): Promise<Partial<SourceBrowseAnswer>>
}

export type ProbeDeps = Omit<CollectorDeps, 'onReadings' | 'checkpoints'>

/** A status as one line of a heartbeat: `running`, `reconnecting: connection refused`. At most 1,000 characters. */
export function statusText(status: CollectorStatus): string {
  return (status.detail ? `${status.state}: ${status.detail}` : status.state).slice(0, 1_000)
}

/** What is wrong with a source; null when nothing is, or nothing is known yet. */
export function problemOf({ state, fault: found, badTags: [first] }: CollectorStatus): Fault | null {
  if (state === 'starting' || state === 'stopped') return null
  if (state !== 'running') return found ?? fault('collector_state', { state })
  if (!found || !first) return found
  return fault('with_bad_tag', { reason: found, tag: first.rawTag, tag_reason: first.fault })
}
