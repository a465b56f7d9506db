import { AsyncLocalStorage } from 'node:async_hooks'
import { type Fault, fault, type ReadingColumns, type Series } from '@haltless/protocol'
import { systemClock } from '../../support/clock.ts'
import { FaultError } from '../../support/fault-error.ts'
import { shortError } from '../../support/short-error.ts'
import { browseSource } from '../browse-source.ts'
import type {
  Collector,
  CollectorClock,
  CollectorDeps,
  CollectorSource,
  Logger,
  NamespaceStore,
  ProbeDeps,
  Progress,
} from '../collector.ts'
import { createCollector, probe } from '../registry.ts'
import { type FromChild, type HostedDeps, type LogLevel, QUESTION, THUMBPRINT, type ToChild } from './messages.ts'

// A process that runs collectors whose library parses what devices send: when it ends, the agent goes on.

const CHECK_INTERVAL_MS = 250
const PULSE_MS = 1_000

/** In whose code a fault occurred: sockets and timers carry it on. */
const culprit = new AsyncLocalStorage<number>()
const send = (message: FromChild, sent?: () => void): void => {
  if (process.connected) process.send?.(message, undefined, undefined, sent)
}

let isEnding = false
function endWith(error: unknown): void {
  // The first fault is the cause.
  if (isEnding) return
  isEnding = true
  const id = culprit.getStore() ?? null
  const stack = error instanceof Error ? error.stack : undefined
  if (id) send({ kind: 'log', id, level: 'error', fields: { stack }, message: 'a fault that nothing caught ends this process' })
  send({ kind: 'fault', id, error: shortError(error) }, () => process.exit(1))
}
process.on('uncaughtException', endWith)
process.on('unhandledRejection', endWith)
// Node prints it where nobody reads: a listener or a timer too many is a fault of a library, or of ours.
process.on('warning', ({ name, message }) => {
  const id = culprit.getStore() ?? hosted.keys().next().value
  if (id) send({ kind: 'log', id, level: 'warn', fields: { warning: `${name}: ${message}` }, message: 'Node warns of a fault' })
})
// The parent is gone, or wants this process to end.
process.on('disconnect', () => process.exit())
// The parent handles signals, which a terminal sends to both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

let anchorMs = 0
let offsetMs: number | null | undefined
let mayPoll = true
const sinceBootMs = () => Number(process.hrtime.bigint()) / 1e6
const clock: CollectorClock = {
  now: () => Math.floor(anchorMs + sinceBootMs()),
  monotonic: systemClock.monotonic,
  sleep: systemClock.sleep,
  get offsetMs() {
    // Absent is not the same as unknown.
    return offsetMs as number | null
  },
}

/** Requests of this process to its parent. */
class Requests<Answer> {
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #seq = 0

  ask(message: (seq: number) => FromChild): Promise<Answer> {
    const seq = ++this.#seq
    return new Promise((resolve) => {
      this.#waiting.set(seq, resolve)
      send(message(seq))
    })
  }

  answer(seq: number, answer: Answer): void {
    this.#waiting.get(seq)?.(answer)
    this.#waiting.delete(seq)
  }
}

const storing = new Requests<{ isStored: boolean; error: Fault | null }>()
const noting = new Requests<void>()
const resolving = new Requests<{ address: string | null; error: Fault | null }>()

const resolvers = new Map<number, (host: string, port: number) => Promise<string>>()
/** The same function for the same number: collectors share connections by it. */
function resolverOf(resolver: number) {
  const known = resolvers.get(resolver)
  if (known) return known
  const resolve = async (host: string, port: number): Promise<string> => {
    const { address, error } = await resolving.ask((seq) => ({ kind: 'resolve', seq, resolver, host, port }))
    if (address === null) throw new FaultError(error ?? fault('host_name_unresolved'))
    return address
  }
  resolvers.set(resolver, resolve)
  return resolve
}

/** What can cross a process: an error becomes its text. */
const plain = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? shortError(value) : value]))

function loggerOf(id: number, isVerbose: boolean): Logger {
  const line = (level: LogLevel) => (fields: object, message: string) =>
    send({ kind: 'log', id, level, fields: plain(fields), message })
  return { debug: isVerbose ? line('debug') : () => {}, info: line('info'), warn: line('warn'), error: line('error') }
}

/** As the parent remembered it when the collector was created: the collector itself knows what came since. */
const namespaceStore = (id: number, remembered: readonly string[] | null): NamespaceStore => ({
  remembered: () => remembered,
  found: (uris) => noting.ask((seq) => ({ kind: 'namespaces', id, seq, uris })),
})

const probeDepsOf = (id: number, { pkiDir, trustAdvice, resolver, isVerbose, namespaces }: HostedDeps): ProbeDeps => ({
  clock,
  logger: loggerOf(id, isVerbose),
  pkiDir,
  trustAdvice: (thumbprint) => trustAdvice.replaceAll(THUMBPRINT, thumbprint),
  ...(resolver !== null && { resolveHost: resolverOf(resolver) }),
  ...(namespaces !== undefined && { namespaces: namespaceStore(id, namespaces) }),
})

/** One collector of this process. */
class Hosted {
  readonly #id: number
  readonly #collector: Collector
  #series: readonly Series[] | null = null
  #status = ''

  constructor(id: number, source: CollectorSource, deps: HostedDeps) {
    this.#id = id
    const collectorDeps: CollectorDeps = {
      ...probeDepsOf(id, deps),
      onReadings: (readings, progress) => this.#handOn(readings, progress),
      mayPoll: () => mayPoll,
      onMissedPolls: (spans) => send({ kind: 'missed', id, spans }),
    }
    this.#collector = createCollector(source, collectorDeps)
  }

  start(): void {
    this.#collector.start()
  }

  check(): void {
    const status = this.#collector.status()
    const text = JSON.stringify(status)
    if (text === this.#status) return
    this.#status = text
    send({ kind: 'status', id: this.#id, status })
  }

  async stop(): Promise<void> {
    await this.#collector.stop()
    this.check()
    send({ kind: 'stopped', id: this.#id })
  }

  async #handOn({ series, seriesIndex, timestamps, values }: ReadingColumns, progress?: Progress): Promise<boolean> {
    const id = this.#id
    if (series !== this.#series) {
      this.#series = series
      send({ kind: 'series', id, series })
    }
    const columns = { seriesIndex, timestamps, values, progress: progress ?? null }
    const { isStored, error } = await storing.ask((seq) => ({ kind: 'readings', id, seq, ...columns }))
    if (error !== null) throw new FaultError(error)
    return isStored
  }
}

const hosted = new Map<number, Hosted>()
const asked = new Map<number, AbortController>()

async function answer({ seq, question, source, deps: given }: Extract<ToChild, { kind: 'ask' }>): Promise<void> {
  const stop = new AbortController()
  asked.set(seq, stop)
  const deps = probeDepsOf(QUESTION, given)
  const found =
    question.kind === 'probe'
      ? await probe(source, deps, stop.signal)
      : await browseSource(source, question.query, question.visitMax, deps, stop.signal)
  asked.delete(seq)
  send({ kind: 'answer', seq, answer: found })
}

process.on('message', (message: ToChild) => {
  switch (message.kind) {
    case 'clock':
      anchorMs = message.anchorMs
      offsetMs = message.offsetMs
      return
    case 'polling':
      mayPoll = message.mayPoll
      return
    case 'start': {
      const { id, source, deps } = message
      culprit.run(id, () => {
        const collector = new Hosted(id, source, deps)
        hosted.set(id, collector)
        collector.start()
      })
      return
    }
    case 'stop': {
      const { id } = message
      const collector = hosted.get(id)
      hosted.delete(id)
      // This process may have started after the collector was to stop.
      if (collector) void collector.stop()
      else send({ kind: 'stopped', id })
      return
    }
    case 'stored':
      storing.answer(message.seq, message)
      return
    case 'noted':
      noting.answer(message.seq)
      return
    case 'resolved':
      resolving.answer(message.seq, message)
      return
    case 'ask':
      void culprit.run(QUESTION, () => answer(message))
      return
    case 'cancel':
      asked.get(message.seq)?.abort()
  }
})
setInterval(() => {
  for (const collector of hosted.values()) collector.check()
}, CHECK_INTERVAL_MS)
// Loading a library takes a second or more: before the first connection, whose time is limited.
void import(process.argv[2] === 'node-opcua' ? 'node-opcua' : 'mqtt').then(() => send({ kind: 'ready' }))
setInterval(() => send({ kind: 'pulse', rssBytes: process.memoryUsage.rss() }), PULSE_MS)
