import type { Directives, Telemetry } from '@haltless/protocol'
import type { CredentialRotation } from '../enrolment/credential-rotation.ts'
import { Backoff } from '../support/backoff.ts'
import type { Clock } from '../support/clock.ts'
import type { HttpClient } from '../support/http.ts'
import type { Logger } from '../support/logger.ts'
import type { ApiKey } from '../support/secret.ts'
import { WakeUp } from '../support/wake-up.ts'
import { type Authorization, tokenLifetimeMs } from '../uplink/authorization.ts'
import { type HeartbeatOutcome, sendHeartbeat } from './hub-client.ts'

export interface HeartbeatOptions {
  hub: { url: string; apiKey: ApiKey }
  http: HttpClient
  authorization: Authorization
  clock: Clock
  logger: Logger
  telemetry: () => Telemetry
  /** the hub has stored these gaps */
  onGapsReported: (gapIds: string[]) => void
  /** the hub told its time (Unix ms; null from an older hub) in an exchange of this duration, which has just ended */
  onTime: (hubTime: number | null, roundTripMs: number) => void
  /** the hub wants other polling sources to run than were reported */
  onSources: (given: unknown) => void
  /** the hub wants the rejected readings to be sent once more; the same request comes until it is reported as done */
  onRequeue: (request: string) => void
  /** the hub said which versions of batches it reads */
  onWireVersions: (versions: readonly number[]) => void
  /** the update that the hub orders; undefined: none */
  onUpdate: (order: unknown) => void
  /** sends the telemetry over MQTT when HTTP does not reach the hub; false without an open session */
  sendOverMqtt: (telemetry: Telemetry) => boolean
  /** of an enrolled agent */
  rotation?: Pick<CredentialRotation, 'accepted' | 'refused'> | undefined
  random?: () => number
}

export interface HeartbeatStatus {
  /** Unix ms of the last answer about this agent, null before the first */
  lastAnswerAt: number | null
  /** plain words about what is wrong, '' when nothing is */
  detail: string
  /** the newest directives */
  directives: Directives | null
}

/** Until the hub's first `next_check_seconds`. */
const NEXT_CHECK_SECONDS = 60
/** Upper limit for the hub's interval, so that a wrong setting cannot silence a plant for a year. */
const NEXT_CHECK_SECONDS_MAX = 3_600
/** What hubs read that announce nothing. */
const OLDEST_WIRE_VERSIONS = [1]
/** A new password is fetched before half of the old one's life is over, however rarely the hub wants to hear from us. */
const RENEW_AT = 0.5

/**
 * Reports the agent's state to the hub and receives the hub's directives: on start, every `next_check_seconds`, and on {@link
 * wake}.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  readonly #wakeUp = new WakeUp()
  readonly #stopping = new AbortController()
  readonly #backoff: Backoff
  #status: HeartbeatStatus = { lastAnswerAt: null, detail: 'no heartbeat was answered yet', directives: null }
  #nextCheckMs = NEXT_CHECK_SECONDS * 1_000
  #loop: Promise<void> = Promise.resolve()

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#backoff = new Backoff({ firstMs: 1_000, maxMs: NEXT_CHECK_SECONDS * 1_000, random: options.random })
  }

  start(): void {
    this.#loop = this.#run()
  }

  /** Asks for a heartbeat now. */
  wake(): void {
    this.#wakeUp.wake()
  }

  status(): HeartbeatStatus {
    return this.#status
  }

  /** Directives that arrived over MQTT. A changed authorization triggers a heartbeat at once; the rest applies immediately. */
  onDirectives(directives: Directives): void {
    this.#apply(directives)
    if ((directives.status === 'ok') !== (this.#options.authorization.state.kind === 'granted')) this.wake()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#loop
  }

  /** Ends only on stop: a failure here (a failing disk) is logged and retried. */
  async #run(): Promise<void> {
    const { clock, logger } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      let waitMs: number
      try {
        waitMs = await this.#beat(signal)
      } catch (error) {
        logger.error({ error }, 'the heartbeat failed')
        waitMs = this.#backoff.next()
      }
      await this.#wakeUp.sleep(clock, waitMs, signal)
    }
  }

  /** One heartbeat. @returns how long to wait for the next one, ms */
  async #beat(signal: AbortSignal): Promise<number> {
    const { hub, http, telemetry, sendOverMqtt, rotation, clock, onTime } = this.#options
    const said = telemetry()
    const used = hub.apiKey.reveal()
    const sentAt = clock.monotonic()
    const outcome = await sendHeartbeat(http, hub, said, signal)
    if (signal.aborted) return 0
    // Before anything is sent: then timestamps are settled.
    if (outcome.kind === 'granted') {
      const { time } = outcome.answer
      onTime(time === undefined ? null : Date.parse(time), clock.monotonic() - sentAt)
    }
    if (outcome.kind === 'held' && outcome.reason === 'credential_refused' && rotation?.refused(used)) return 0
    if (outcome.kind === 'unclear' && !outcome.isAnswered) sendOverMqtt(said)
    const waitMs = this.#act(outcome, said)
    // A new credential is used at once, so that the hub revokes the one before.
    if (outcome.kind === 'granted' && (await rotation?.accepted(signal))) return 0
    return waitMs
  }

  #act(outcome: HeartbeatOutcome, said: Telemetry): number {
    const { authorization, clock, logger, onGapsReported, onSources, onRequeue, onUpdate } = this.#options
    if (outcome.kind === 'unclear') {
      if (this.#status.detail !== outcome.detail) logger.warn({ why: outcome.detail }, 'no heartbeat')
      this.#status = { ...this.#status, detail: outcome.detail }
      return Math.max(outcome.waitMs ?? 0, Math.min(this.#backoff.next(), this.#nextCheckMs))
    }
    this.#backoff.reset()
    const isNews = this.#status.detail !== (outcome.kind === 'held' ? outcome.detail : '')
    this.#status = { ...this.#status, lastAnswerAt: clock.now(), detail: outcome.kind === 'held' ? outcome.detail : '' }
    if (outcome.kind === 'held') {
      if (isNews) logger.error({ reason: outcome.reason }, outcome.detail)
      authorization.hold(outcome.reason, outcome.detail)
      if (outcome.directives) {
        this.#apply(outcome.directives)
        onGapsReported(gapIds(said))
      }
      return this.#nextCheckMs
    }
    if (isNews) logger.info({}, 'the hub knows this agent')
    const { mqtt, requeue, time: _, ...directives } = outcome.answer
    this.#apply(directives)
    onGapsReported(gapIds(said))
    authorization.grant(mqtt ?? null, clock.monotonic())
    if (outcome.sources !== undefined) onSources(outcome.sources)
    if (requeue !== undefined) onRequeue(requeue)
    onUpdate(outcome.update)
    const lifetime = mqtt ? tokenLifetimeMs(mqtt.password) : null
    return Math.min(this.#nextCheckMs, lifetime === null ? Number.POSITIVE_INFINITY : lifetime * RENEW_AT)
  }

  #apply(directives: Directives): void {
    const { logger, onWireVersions } = this.#options
    const before = this.#status.directives
    onWireVersions(directives.wire_versions ?? OLDEST_WIRE_VERSIONS)
    this.#nextCheckMs = Math.min(directives.next_check_seconds, NEXT_CHECK_SECONDS_MAX) * 1_000
    this.#status = { ...this.#status, directives }
    const { latest_agent_version, min_supported_version, unsupported, update_available } = directives
    if (unsupported && !before?.unsupported)
      logger.error({ min_supported_version }, 'the hub no longer supports this version of the agent')
    else if (update_available && !before?.update_available) logger.info({ latest_agent_version }, 'a newer agent is available')
  }
}

const gapIds = ({ gaps, missed }: Telemetry): string[] => [...(gaps ?? []), ...(missed ?? [])].map(({ gap_id }) => gap_id)
