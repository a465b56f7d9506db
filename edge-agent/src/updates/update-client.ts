import {
  type Fault,
  fault,
  fileToInstall,
  ReleaseRefused,
  readRelease,
  UpdateOrder,
  type UpdateReport,
  type UpdateState,
} from '@haltless/protocol'
import { Backoff } from '../support/backoff.ts'
import type { Clock } from '../support/clock.ts'
import { FaultError } from '../support/fault-error.ts'
import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'
import { type ArchiveSource, download, WrongArchive } from './download.ts'
import type { UpdateProgress } from './installation.ts'
import { type OwnInstallation, whyNoUpdates } from './own-installation.ts'
import { incomingFolder, removeRequest, writeRequest } from './request.ts'
import { readPublicKey, verifySignature } from './signature.ts'
import { isOpen } from './update-window.ts'

export interface UpdateSettings {
  enabled: boolean
  window?: string
  bytesPerSecond: number
}

export interface UpdateClientOptions {
  own: OwnInstallation | null
  dataDir: string
  settings: UpdateSettings
  /** the archive of an order */
  source: (path: string) => ArchiveSource
  clock: Clock
  logger: Logger
  /** the hub needs a report */
  onChange: () => void
  random?: () => number
}

/** How the update of one rollout is, before the updater has it. */
interface Attempt {
  order: UpdateOrder
  state: UpdateState
  /** Unix ms */
  at: number
  reason: Fault | null
  received: number
  stop: AbortController
}

const POLL_INTERVAL_MS = 1_000
/** The updater is started by the write of the request. */
const PICKUP_POLLS = 600
const REPEAT_POLLS = 60
const WRONG_ARCHIVES_MAX = 3

/** What the report says while the updater works. */
const STATE_OF: Record<UpdateProgress['phase'], UpdateState> = {
  installing: 'verified',
  switched: 'switched',
  rolling_back: 'switched',
  confirmed: 'confirmed',
  rolled_back: 'rolled_back',
  refused: 'refused',
}
const FINAL: readonly UpdateProgress['phase'][] = ['confirmed', 'rolled_back', 'refused']

/**
 * The agent's part of an update: it waits for its time, downloads the archive, verifies it, and hands it to the updater, which alone may
 * change the program. What happens then is read from the updater's state, so a restart in between forgets nothing.
 */
export class UpdateClient {
  readonly #options: UpdateClientOptions
  #attempt: Attempt | null = null
  #work: Promise<void> = Promise.resolve()
  #reported = ''
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: UpdateClientOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#options.own) this.#timer = setInterval(() => this.#check(), POLL_INTERVAL_MS)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    this.#attempt?.stop.abort()
    await this.#work
  }

  /** What the answer to a heartbeat orders; undefined: nothing, so what has not been handed over ends. */
  receive(given: unknown): void {
    if (this.#isStopped) return
    const order = UpdateOrder.safeParse(given)
    const id = order.success ? order.data.rollout_id : null
    if (this.#attempt?.order.rollout_id === id) return
    this.#attempt?.stop.abort()
    this.#attempt = null
    if (given !== undefined && !order.success)
      this.#options.logger.warn({}, 'the hub orders an update in a form that this version cannot read')
    if (!order.success || this.#progressOf(order.data.rollout_id)) return
    const now = this.#options.clock.now()
    const attempt: Attempt = {
      order: order.data,
      state: 'waiting',
      at: now,
      reason: null,
      received: 0,
      stop: new AbortController(),
    }
    this.#attempt = attempt
    this.#work = this.#work.then(() => this.#run(attempt))
  }

  report(): UpdateReport {
    const { own, settings, dataDir } = this.#options
    const whyNot = whyNoUpdates(own, { ...settings, dataDir })
    const platform = own?.installation.platform(own.version)
    const about = {
      ...(platform && { platform }),
      accepts: whyNot === null,
      ...(whyNot !== null && { why_not: whyNot.detail, why_not_fault: whyNot }),
      ...(settings.window !== undefined && { window: settings.window }),
    }
    const progress = own?.installation.state().progress ?? null
    const attempt = this.#attempt
    if (attempt && attempt.order.rollout_id !== progress?.id) {
      const { order, state, at, reason, received } = attempt
      return {
        ...about,
        ...{ rollout_id: order.rollout_id, version: order.version, state, at: new Date(at).toISOString() },
        ...(reason !== null && { reason: reason.detail.slice(0, 500), fault: reason }),
        ...(received > 0 && { received_bytes: received }),
      }
    }
    if (!progress) return about
    const { id, version, phase, at, reason, fault: found } = progress
    return {
      ...about,
      rollout_id: id,
      version,
      state: STATE_OF[phase],
      at,
      ...(reason !== null && { reason }),
      ...(found && { fault: found }),
    }
  }

  #progressOf(id: string): UpdateProgress | null {
    const progress = this.#options.own?.installation.state().progress
    return progress?.id === id ? progress : null
  }

  /** Reports a change of state at once, and clears up after the updater. */
  #check(): void {
    const { own, dataDir, onChange } = this.#options
    const { rollout_id, state, reason } = this.report()
    const reported = JSON.stringify([rollout_id, state, reason])
    if (reported === this.#reported) return
    this.#reported = reported
    const progress = own?.installation.state().progress
    // not the request of the next update, which the updater has not taken up yet
    if (progress && progress.id === rollout_id && FINAL.includes(progress.phase)) removeRequest(incomingFolder(dataDir))
    if (state !== undefined) onChange()
  }

  async #run(attempt: Attempt): Promise<void> {
    const { own, settings, dataDir, clock, logger, source } = this.#options
    const { order, stop } = attempt
    const { signal } = stop
    const incoming = incomingFolder(dataDir)
    try {
      const whyNot = whyNoUpdates(own, { ...settings, dataDir })
      if (whyNot !== null || !own) throw new FaultError(whyNot ?? fault('updates_not_packaged'))
      const file = this.#fileOf(order, own)
      await this.#waitUntil(attempt, clock.now() + order.delay_seconds * 1_000)
      const backoff = new Backoff({ firstMs: 5_000, maxMs: 600_000, random: this.#options.random })
      for (let wrong = 0; !signal.aborted; ) {
        this.#set(attempt, 'downloading', attempt.state === 'downloading' ? attempt.reason : null)
        try {
          const onProgress = (received: number) => {
            attempt.received = received
          }
          const options = { bytesPerSecond: settings.bytesPerSecond, clock, signal, onProgress }
          await download(file, incoming, source(order.path), options)
          break
        } catch (error) {
          if (signal.aborted) return
          if (error instanceof WrongArchive && ++wrong === WRONG_ARCHIVES_MAX) throw new ReleaseRefused(error.message)
          this.#set(attempt, 'downloading', fault('unexpected_error', { text: shortError(error) }))
          await clock.sleep(backoff.next(), signal)
        }
      }
      await this.#waitUntil(attempt, 0)
      if (signal.aborted) return
      this.#set(attempt, 'verified', null)
      logger.info({ version: order.version }, 'an update is downloaded; the updater takes over')
      for (let poll = 0; !this.#progressOf(order.rollout_id); poll++) {
        if (poll === PICKUP_POLLS) throw new FaultError(fault('update_not_taken_up'))
        // a path unit misses a write while its service is about to end
        if (poll % REPEAT_POLLS === 0) writeRequest(incoming, { id: order.rollout_id, release: order.release })
        await clock.sleep(POLL_INTERVAL_MS, signal)
        if (signal.aborted) return
      }
    } catch (error) {
      if (signal.aborted) return
      const why = error instanceof FaultError ? error.fault : fault('update_release_refused', { text: shortError(error) })
      logger.warn({ version: order.version, reason: why.detail }, 'the update is refused')
      removeRequest(incoming)
      this.#set(attempt, 'refused', why)
    }
  }

  /** @throws ReleaseRefused */
  #fileOf({ release: given, version }: UpdateOrder, own: OwnInstallation) {
    const { installation } = own
    const { release, manifest } = readRelease(given)
    verifySignature(release, readPublicKey(installation.updateKey(own.version) ?? ''))
    if (manifest.version !== version) throw new ReleaseRefused(`the signed version is ${manifest.version}, and not ${version}`)
    const platform = installation.platform(own.version) ?? ''
    const sequence = installation.state().confirmed_sequence
    return fileToInstall(manifest, { version: own.version, platform, sequence }, this.#options.clock.now())
  }

  /** Until a time (Unix ms) has come and the window of the plant is open. */
  async #waitUntil(attempt: Attempt, time: number): Promise<void> {
    const { clock, settings } = this.#options
    const { signal } = attempt.stop
    for (;;) {
      const isDue = clock.now() >= time
      if (signal.aborted || (isDue && isOpen(settings.window, clock.now()))) return
      this.#set(
        attempt,
        'waiting',
        isDue ? fault('update_waits_for_window', { window: String(settings.window) }) : fault('update_waits_for_turn'),
      )
      await clock.sleep(POLL_INTERVAL_MS, signal)
    }
  }

  #set(attempt: Attempt, state: UpdateState, reason: Fault | null): void {
    if (attempt.state !== state) attempt.at = this.#options.clock.now()
    attempt.state = state
    attempt.reason = reason
  }
}
