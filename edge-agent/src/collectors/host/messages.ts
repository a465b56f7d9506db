import type { Fault, Series, SourceBrowse, SourceBrowseAnswer } from '@haltless/protocol'
import type { CollectorSource, CollectorStatus, ProbeResult, Progress } from '../collector.ts'
import type { MissedPollSpan } from '../missed-polls.ts'

/** The parts of its dependencies that a collector in a child process gets as data. */
export interface HostedDeps {
  pkiDir: string
  /** advice with {@link THUMBPRINT} where the thumbprint belongs */
  trustAdvice: string
  /** which function of the parent resolves hosts; null: the system's resolver. Collectors of one function share connections. */
  resolver: number | null
  /** what `ns=2` in the settings means; null: no session has been yet; absent: this program remembers nothing */
  namespaces?: readonly string[] | null
  /** forward debug lines too */
  isVerbose: boolean
}

/** The id of a question, which no collector has. */
export const QUESTION = 0

/** Stands for the thumbprint in `trustAdvice`. */
export const THUMBPRINT = '{thumbprint}'

/** What a person wants to know of a device, once. */
export type Question = { kind: 'browse'; query: SourceBrowse; visitMax: number } | { kind: 'probe' }

/** What the parent tells a child. `id` is that of a collector; `seq` pairs an answer with its request. */
export type ToChild =
  | { kind: 'clock'; anchorMs: number; offsetMs: number | null | undefined }
  | { kind: 'polling'; mayPoll: boolean }
  | { kind: 'start'; id: number; source: CollectorSource; deps: HostedDeps }
  | { kind: 'stop'; id: number }
  | { kind: 'stored'; seq: number; isStored: boolean; error: Fault | null }
  /** the namespaces were noted */
  | { kind: 'noted'; seq: number }
  | { kind: 'resolved'; seq: number; address: string | null; error: Fault | null }
  | { kind: 'ask'; seq: number; question: Question; source: CollectorSource; deps: HostedDeps }
  | { kind: 'cancel'; seq: number }

/** What a child tells its parent. */
export type FromChild =
  /** it has loaded its library */
  | { kind: 'ready' }
  | { kind: 'pulse'; rssBytes: number }
  | { kind: 'status'; id: number; status: CollectorStatus }
  | { kind: 'stopped'; id: number }
  | { kind: 'series'; id: number; series: readonly Series[] }
  | {
      kind: 'readings'
      id: number
      seq: number
      seriesIndex: Uint32Array
      timestamps: Float64Array
      values: Float64Array
      progress: Progress | null
    }
  | { kind: 'namespaces'; id: number; seq: number; uris: readonly string[] }
  | { kind: 'missed'; id: number; spans: MissedPollSpan[] }
  | { kind: 'log'; id: number; level: LogLevel; fields: object; message: string }
  | { kind: 'resolve'; seq: number; resolver: number; host: string; port: number }
  | { kind: 'answer'; seq: number; answer: SourceBrowseAnswer | ProbeResult }
  /** it ends now; `id`: in whose code, {@link QUESTION} or null: unknown */
  | { kind: 'fault'; id: number | null; error: string }

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
