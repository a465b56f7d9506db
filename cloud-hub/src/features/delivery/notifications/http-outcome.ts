import { type Fault, fault } from '@haltless/protocol/faults'
import type { Answer, Failure } from '../../../support/net/guarded-request.ts'
import type { DeliveryOutcome } from './channel.ts'
import { oneLine } from './notice-text.ts'

/**
 * 2xx is delivered, 4xx other than 408 and 429 is permanent, everything else is transient.
 * @param reason reads the receiver's error text, from where its documentation puts it
 */
export function outcomeOf(answer: Answer | Failure, reason?: (answer: Answer) => string | undefined): DeliveryOutcome {
  if (!answer.ok) return { kind: answer.reason === 'blocked' ? 'permanent' : 'transient', fault: answer.fault }
  const { status, retryAfterSeconds } = answer
  if (status >= 200 && status < 300) return { kind: 'delivered', responseStatus: status }
  return refusalOutcome(status, status < 300 || status >= 400 ? reason?.(answer) : undefined, retryAfterSeconds)
}

/** Statuses that an administrator can correct have a code of their own. */
function answerOf(status: number): Fault {
  if (status === 401) return fault('receiver_credentials', { status })
  if (status === 403) return fault('receiver_forbidden', { status })
  return fault(status >= 300 && status < 400 ? 'receiver_redirects' : 'receiver_answered', { status })
}

/**
 * Builds the outcome of a refusal with this status, which may differ from the HTTP status. The runner masks secrets in the reason
 * and truncates it.
 */
export function refusalOutcome(status: number, reason: string | undefined, retryAfterSeconds?: number): DeliveryOutcome {
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429
  const answer = answerOf(status)
  return {
    kind: isFinal ? 'permanent' : 'transient',
    fault: reason ? fault('receiver_explains', { answer, explanation: oneLine(reason) }) : answer,
    responseStatus: status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

/**
 * Like `outcomeOf`, for APIs that document JSON for every success. Any other success, such as a login page, comes from something
 * in front of the API and is transient.
 */
export function outcomeOfJson(answer: Answer | Failure, reason?: (answer: Answer) => string | undefined): DeliveryOutcome {
  const outcome = outcomeOf(answer, reason)
  if (!answer.ok || outcome.kind !== 'delivered' || answer.body.trim() === '' || isJson(answer.body)) return outcome
  const { status } = answer
  return { kind: 'transient', fault: fault('receiver_other_api', { status }), responseStatus: status }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Parses the JSON object in an answer; an empty object when there is none. */
export function jsonBody({ body }: Answer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Joins the non-empty strings among these values; undefined when there are none. */
export const joinTexts = (...parts: unknown[]): string | undefined =>
  parts
    .flat()
    .filter((part) => typeof part === 'string' && part !== '')
    .join('; ') || undefined

/** Checks a ticket's id, which goes into URLs and into the database; undefined when it is not valid. */
export const ticketIdOf = (id: unknown): string | undefined =>
  typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : undefined
