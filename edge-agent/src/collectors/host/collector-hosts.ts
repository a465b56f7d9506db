import { type Fault, fault, type SourceBrowse, type SourceBrowseAnswer } from '@haltless/protocol'
import { errorFault } from '../../support/error-message.ts'
import { browseSource, nothingFound } from '../browse-source.ts'
import type { Collector, CollectorClock, CollectorDeps, CollectorSource, ProbeDeps, ProbeResult } from '../collector.ts'
import { createCollector, probe } from '../registry.ts'
import { DeviceRequests } from './device-requests.ts'
import { type Host, newHost, retire, sendChanges } from './host.ts'
import { type HostEnd, HostProcess } from './host-process.ts'
import { HostedCollector } from './hosted-collector.ts'
import { type FromChild, type HostedDeps, type Question, THUMBPRINT, type ToChild } from './messages.ts'

/** The protocols whose bytes a library parses, and that library: one child process for each. The others are read by code of our own. */
const LIBRARIES: Partial<Record<CollectorSource['protocol'], string>> = { opcua: 'node-opcua', mqtt: 'mqtt', sparkplug: 'mqtt' }
/** node-opcua takes some 95 MB in each. */
const OWN_MAX = 4
const CHANGES_MS = 250
/** A child sends a sign of life each second. */
const SILENCE_MS = 30_000
/** A process without a collector waits so long for the next question. */
const IDLE_MS = 60_000
/** A process that ran for so long begins with the shortest wait again. */
const WELL_AFTER_MS = 300_000
/** After so many ends without a known culprit the collectors of a process are divided. */
const UNKNOWN_MAX = 2

interface HostOptions {
  silenceMs?: number
  idleMs?: number
  hasTenants?: boolean
}

/**
 * Runs collectors whose library parses foreign bytes in child processes, so that a device ends neither the agent nor, more than once,
 * the collectors beside it: the one in whose code a process ended moves to another process.
 */
export class CollectorHosts {
  readonly #shared = new Map<string, Host>()
  readonly #own: Host[] = []
  readonly #collectors = new Map<number, HostedCollector>()
  readonly #resolvers: NonNullable<ProbeDeps['resolveHost']>[] = []
  readonly #requests = new DeviceRequests()
  readonly #silenceMs: number
  readonly #idleMs: number
  readonly #hasTenants: boolean
  /** the processes that answer questions, where collectors of several tenants run */
  readonly #asking = new Map<string, Host>()
  /** the tenants whose collectors ended a shared process */
  readonly #moved = new WeakSet<object>()
  #lastId = 0
  #timer: NodeJS.Timeout | undefined

  /**
   * @param options a child process that says nothing for `silenceMs` is ended, and one that answered a question and has no collector
   * after `idleMs`. `hasTenants`: each function that resolves hosts is of a tenant, and no tenant may end the process of another more
   * than once: questions have a process of their own, and all collectors of a tenant leave the shared one with the first that ended it.
   */
  constructor({ silenceMs = SILENCE_MS, idleMs = IDLE_MS, hasTenants = false }: HostOptions = {}) {
    this.#silenceMs = silenceMs
    this.#idleMs = idleMs
    this.#hasTenants = hasTenants
  }

  /** A collector, not yet started, in a child process where its protocol needs one. */
  create = (source: CollectorSource, deps: CollectorDeps): Collector => {
    const library = LIBRARIES[source.protocol]
    if (library === undefined) return createCollector(source, deps)
    return new HostedCollector(
      ++this.#lastId,
      source,
      deps,
      (collector) => this.#begin(this.#hostFor(library, deps), collector),
      (collector) => this.#stop(collector),
    )
  }

  /** {@link browseSource} in the process of its protocol. */
  browse = async (
    source: CollectorSource,
    query: SourceBrowse,
    visitMax: number,
    deps: ProbeDeps,
    signal: AbortSignal,
  ): Promise<SourceBrowseAnswer> => {
    const library = LIBRARIES[source.protocol]
    if (library === undefined) return browseSource(source, query, visitMax, deps, signal)
    const found = await this.#ask<SourceBrowseAnswer>(library, { kind: 'browse', query, visitMax }, source, deps, signal)
    return found ?? nothingFound(ENDED)
  }

  /** {@link probe} in the process of its protocol. */
  probe = async (source: CollectorSource, deps: ProbeDeps, signal: AbortSignal): Promise<ProbeResult> => {
    const library = LIBRARIES[source.protocol]
    if (library === undefined) return probe(source, deps, signal)
    const found = await this.#ask<ProbeResult>(library, { kind: 'probe' }, source, deps, signal)
    return (
      found ?? { ok: false, answered: false, summary: ENDED.detail, lines: [], clockAheadMs: null, readings: [], badTags: [] }
    )
  }

  /** @returns null when the process ended before its answer */
  async #ask<Answer extends SourceBrowseAnswer | ProbeResult>(
    library: string,
    question: Question,
    source: CollectorSource,
    deps: ProbeDeps,
    signal: AbortSignal,
  ): Promise<Answer | null> {
    const host = this.#checkedHostOf(library)
    const child = this.#run(host, deps.clock)
    const seq = ++this.#lastId
    const answered = this.#requests.add<Answer>(seq, child)
    const cancel = () => child.send({ kind: 'cancel', seq })
    signal.addEventListener('abort', cancel, { once: true })
    child.send({ kind: 'ask', seq, question, source, deps: this.#dataOf(deps) })
    const answer = await answered
    signal.removeEventListener('abort', cancel)
    this.#retireWhenIdle(host)
    return answer
  }

  /** Resolves when the process of a protocol can answer at once: for a question whose time is limited. */
  async ready(protocol: CollectorSource['protocol'], { clock }: Pick<ProbeDeps, 'clock'>): Promise<void> {
    const library = LIBRARIES[protocol]
    if (library === undefined) return
    const host = this.#checkedHostOf(library)
    await this.#run(host, clock).ready
    this.#retireWhenIdle(host)
  }

  #retireWhenIdle(host: Host): void {
    clearTimeout(host.idleTimer)
    host.idleTimer = setTimeout(() => {
      if (host.collectors.size === 0 && !this.#requests.hasAny(host.process)) retire(host)
    }, this.#idleMs).unref()
  }

  /** After all collectors have stopped. */
  close(): void {
    clearInterval(this.#timer)
    for (const host of this.#hosts()) {
      clearTimeout(host.timer)
      clearTimeout(host.idleTimer)
      retire(host)
    }
  }

  #stop(collector: HostedCollector): void {
    const child = this.#hostOf(collector)?.process
    if (child) child.send({ kind: 'stop', id: collector.id })
    else this.#lose(collector, null, false)
  }

  /** The processes that run now, for status and tests. */
  pids(): number[] {
    return this.#hosts().flatMap(({ process }) => process?.pid ?? [])
  }

  #hosts(): Host[] {
    return [...this.#shared.values(), ...this.#asking.values(), ...this.#own]
  }

  #hostOf(collector: HostedCollector): Host | undefined {
    return this.#hosts().find(({ collectors }) => collectors.has(collector))
  }

  #sharedOf(library: string, hosts = this.#shared): Host {
    const host = hosts.get(library) ?? newHost(library)
    hosts.set(library, host)
    return host
  }

  #checkedHostOf(library: string): Host {
    return this.#sharedOf(library, this.#hasTenants ? this.#asking : this.#shared)
  }

  #hostFor(library: string, { resolveHost }: ProbeDeps): Host {
    if (!this.#hasTenants || !resolveHost || !this.#moved.has(resolveHost)) return this.#sharedOf(library)
    const isOfTenant = ({ deps }: HostedCollector) => deps.resolveHost === resolveHost
    const known = this.#own.find((host) => host.library === library && [...host.collectors].some(isOfTenant))
    return known ?? this.#ownFor(library)
  }

  /** The collector that ended its process; with tenants all collectors of its tenant in that process. */
  #leaving(host: Host, named: HostedCollector): HostedCollector[] {
    const { resolveHost } = named.deps
    if (!this.#hasTenants || !resolveHost) return [named]
    this.#moved.add(resolveHost)
    return [...host.collectors].filter(({ deps }) => deps.resolveHost === resolveHost)
  }

  /** The process for one more collector that ended another: a new one, or that with the fewest collectors. */
  #ownFor(library: string): Host {
    if (this.#own.length < OWN_MAX) this.#own.push(newHost(library))
    const fitting = this.#own.filter((host) => host.library === library)
    return fitting.toSorted((a, b) => a.collectors.size - b.collectors.size)[0] ?? this.#sharedOf(library)
  }

  #begin(host: Host, collector: HostedCollector): void {
    host.collectors.add(collector)
    this.#collectors.set(collector.id, collector)
    this.#timer ??= setInterval(() => this.#sendChanges(), CHANGES_MS).unref()
    // A process that is to wait starts its collectors then.
    if (host.timer === undefined) this.#startIn(host, this.#run(host, collector.deps.clock), collector)
  }

  #startIn(host: Host, child: HostProcess, collector: HostedCollector): void {
    sendChanges(host, collector.deps)
    collector.begins()
    child.send({ kind: 'start', id: collector.id, source: collector.source, deps: this.#dataOf(collector.deps) })
  }

  #run(host: Host, clock: CollectorClock): HostProcess {
    if (host.process) return host.process
    const child: HostProcess = new HostProcess(
      host.library,
      this.#silenceMs,
      (message) => this.#receive(message, child),
      (end) => this.#ended(host, child, end),
    )
    host.process = child
    host.startedAt = performance.now()
    host.sent = null
    sendChanges(host, { clock })
    return child
  }

  #dataOf({ pkiDir, trustAdvice, resolveHost, logger, namespaces }: ProbeDeps): HostedDeps {
    if (resolveHost && !this.#resolvers.includes(resolveHost)) this.#resolvers.push(resolveHost)
    const { level } = logger as { level?: string }
    return {
      pkiDir,
      trustAdvice: trustAdvice(THUMBPRINT),
      resolver: resolveHost ? this.#resolvers.indexOf(resolveHost) : null,
      ...(namespaces && { namespaces: namespaces.remembered() }),
      isVerbose: level === 'debug' || level === 'trace',
    }
  }

  #sendChanges(): void {
    for (const host of this.#hosts()) {
      const [any] = host.collectors
      if (host.process && any) sendChanges(host, any.deps)
    }
  }

  #receive(message: FromChild, child: HostProcess): void {
    const reply = (answer: ToChild) => child.send(answer)
    if (message.kind === 'resolve') void this.#resolve(message, reply)
    else if (message.kind === 'answer') {
      this.#requests.answer(message.seq, message.answer)
    } else if ('id' in message && message.kind !== 'fault') {
      const collector = this.#collectors.get(message.id)
      collector?.receive(message, reply)
      if (collector && message.kind === 'stopped') this.#forget(collector)
    }
  }

  async #resolve({ seq, resolver, host, port }: Extract<FromChild, { kind: 'resolve' }>, reply: (answer: ToChild) => void) {
    try {
      const address = (await this.#resolvers[resolver]?.(host, port)) ?? null
      reply({ kind: 'resolved', seq, address, error: null })
    } catch (error) {
      reply({ kind: 'resolved', seq, address: null, error: errorFault(error) })
    }
  }

  #forget(collector: HostedCollector): void {
    const host = this.#hostOf(collector)
    host?.collectors.delete(collector)
    this.#collectors.delete(collector.id)
    if (host?.collectors.size !== 0) return
    if (this.#requests.hasAny(host.process)) this.#retireWhenIdle(host)
    else retire(host)
    const place = this.#own.indexOf(host)
    if (place >= 0) this.#own.splice(place, 1)
  }

  #ended(host: Host, child: HostProcess, { culprit, reason }: HostEnd): void {
    this.#requests.fail(child)
    if (host.process !== child) return
    host.process = null
    for (const collector of host.collectors) if (collector.isStopped) this.#lose(collector, null, false)
    if (host.collectors.size === 0) return
    if (performance.now() - host.startedAt > WELL_AFTER_MS) {
      host.backoff.reset()
      host.unknownEnds = 0
    }
    const named = culprit === null ? undefined : this.#collectors.get(culprit)
    if (culprit === null) host.unknownEnds++
    this.#move(host, named ? this.#leaving(host, named) : this.#half(host), named ?? null, reason)
    if (host.collectors.size === 0) return
    const isAlone = host.collectors.size === 1
    const waitMs = named && !host.collectors.has(named) ? 0 : host.backoff.next()
    for (const collector of host.collectors)
      this.#lose(collector, lostFault(reason, collector === named, waitMs), isAlone || collector === named)
    this.#startLater(host, waitMs)
  }

  /** Half of the collectors, or of the tenants, of a process that ended too often for no known reason; none, where nothing can be learned. */
  #half(host: Host): HostedCollector[] {
    if (host.unknownEnds < UNKNOWN_MAX || this.#own.length >= OWN_MAX) return []
    const groups = this.#hasTenants
      ? [...Map.groupBy(host.collectors, ({ deps }) => deps.resolveHost).values()]
      : [...host.collectors].map((collector) => [collector])
    return groups.filter((_, i) => i % 2 === 1).flat()
  }

  /** Collectors leave a process that they ended, or may have. An occupied process of others that did takes no more where that helps nobody. */
  #move(host: Host, collectors: readonly HostedCollector[], named: HostedCollector | null, reason: Fault): void {
    const isOwn = this.#own.includes(host)
    if (collectors.length === 0 || collectors.length === host.collectors.size || (isOwn && this.#own.length >= OWN_MAX)) return
    host.unknownEnds = 0
    const own = this.#ownFor(host.library)
    if (own === host) return
    const waitMs = own.backoff.next()
    for (const collector of collectors) {
      host.collectors.delete(collector)
      own.collectors.add(collector)
      this.#lose(collector, lostFault(reason, collector === named, waitMs), collector === named)
      if (own.process) this.#startIn(own, own.process, collector)
    }
    if (!own.process) this.#startLater(own, waitMs)
  }

  #lose(collector: HostedCollector, found: Fault | null, isCulprit: boolean): void {
    if (!collector.isStopped) {
      collector.lost(found, isCulprit)
      return
    }
    collector.ended()
    this.#forget(collector)
  }

  #startLater(host: Host, waitMs: number): void {
    clearTimeout(host.timer)
    host.timer = setTimeout(() => {
      host.timer = undefined
      const [first] = host.collectors
      if (!first) return
      const child = this.#run(host, first.deps.clock)
      for (const collector of host.collectors) if (!collector.isStopped) this.#startIn(host, child, collector)
    }, waitMs)
  }
}

const ENDED = fault('host_ended_browse')

function lostFault(reason: Fault, isCulprit: boolean, waitMs: number): Fault {
  const seconds = Math.ceil(waitMs / 1_000)
  return isCulprit ? fault('host_ended_by_device', { reason, seconds }) : fault('host_ended', { reason, seconds })
}
