import { IssuedCredential } from '@haltless/protocol'
import type { Clock } from '../support/clock.ts'
import type { HttpClient } from '../support/http.ts'
import type { Logger } from '../support/logger.ts'
import { problemDetail } from '../support/problem.ts'
import { shortError } from '../support/short-error.ts'
import type { StoredCredential } from './stored-credential.ts'

/** A credential is renewed at this age. */
const RENEW_AFTER_MS = 90 * 86_400_000
/** After a failure the hub is asked again this much later. */
const RETRY_MS = 3_600_000
const TIMEOUT_MS = 15_000

export interface CredentialRotationOptions {
  hubUrl: string
  credential: StoredCredential
  http: HttpClient
  clock: Clock
  logger: Logger
}

/** Renews the credential of an enrolled agent every 90 days, and uses the one before while the hub refuses the newest. */
export class CredentialRotation {
  readonly #options: CredentialRotationOptions
  /** monotonic ms */
  #retryAt = Number.NEGATIVE_INFINITY

  constructor(options: CredentialRotationOptions) {
    this.#options = options
  }

  /** The hub accepted the credential. @returns whether a new one was issued, which should be used at once */
  async accepted(signal?: AbortSignal): Promise<boolean> {
    const { credential, clock, logger } = this.#options
    credential.accepted()
    // A clock that was set back must not end the rotation, so an age below zero counts too.
    const isDue = Math.abs(clock.now() - credential.issuedAt) >= RENEW_AFTER_MS
    if (!isDue || clock.monotonic() < this.#retryAt) return false
    try {
      const issued = await this.#request(signal)
      credential.replace(issued.credential, clock.now())
      logger.info({}, 'the credential of this agent was renewed')
      return true
    } catch (error) {
      this.#retryAt = clock.monotonic() + RETRY_MS
      if (!signal?.aborted)
        logger.warn(
          { error: shortError(error) },
          'the credential of this agent could not be renewed; the present one stays valid',
        )
      return false
    }
  }

  /** The hub refused a credential. @returns whether to try again at once, with the other one */
  refused(used: string): boolean {
    const isOtherTried = this.#options.credential.refused(used)
    if (isOtherTried) this.#options.logger.warn({}, 'the hub refused the credential of this agent; trying the other one')
    return isOtherTried
  }

  async #request(signal: AbortSignal | undefined): Promise<IssuedCredential> {
    const { hubUrl, credential, http } = this.#options
    const headers = { 'x-api-key': credential.reveal() }
    const { status, body } = await http.post(`${hubUrl}/api/v1/agent/credential`, {}, headers, TIMEOUT_MS, signal)
    const answer = IssuedCredential.safeParse(body)
    if (status !== 201 || !answer.success) throw new Error(`the hub answered ${status}${problemDetail(body)}`)
    return answer.data
  }
}
