import type { Answer, Failure } from '../../../support/net/guarded-request.ts'
import type { DeliveryOutcome } from './channel.ts'

/**
 * 2xx is delivered; 4xx other than 408 and 429 is final; everything else is tried again.
 * @param reason what the receiver says about its refusal, where its documentation says where that stands
 */
export function outcomeOf(answer: Answer | Failure, reason?: (answer: Answer) => string | undefined): DeliveryOutcome {
  if (!answer.ok) return { kind: answer.reason === 'blocked' ? 'permanent' : 'transient', error: answer.message }
  const { status, retryAfterSeconds } = answer
  if (status >= 200 && status < 300) return { kind: 'delivered', responseStatus: status }
  return refused(status, status < 300 || status >= 400 ? reason?.(answer) : undefined, retryAfterSeconds)
}

/** What an administrator can do something about. */
const MEANS: Record<number, string> = {
  401: ', it does not accept the credentials',
  403: ', it does not allow this to these credentials',
}

/** A refusal with this status, which is not always the one of the answer. The runner hides secrets in the reason and cuts it. */
export function refused(status: number, reason: string | undefined, retryAfterSeconds?: number): DeliveryOutcome {
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : ''
  return {
    kind: isFinal ? 'permanent' : 'transient',
    error: `the receiver answered ${status}${MEANS[status] ?? ''}${redirect}${reason ? `: ${reason}` : ''}`,
    responseStatus: status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

/**
 * As `outcomeOf`, where a success is JSON by documentation: a page for people, such as of a login or of an instance that sleeps, is none, and
 * comes from something in front of the API.
 */
export function outcomeOfJson(answer: Answer | Failure, reason?: (answer: Answer) => string | undefined): DeliveryOutcome {
  const outcome = outcomeOf(answer, reason)
  if (!answer.ok || outcome.kind !== 'delivered' || answer.body.trim() === '' || isJson(answer.body)) return outcome
  const { status } = answer
  return { kind: 'transient', error: `the receiver answered ${status}, but not as its API does`, responseStatus: status }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The JSON object in an answer; an empty one where there is none. */
export function jsonOf({ body }: Answer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** The texts among these, joined; undefined where there are none. */
export const said = (...parts: unknown[]): string | undefined =>
  parts
    .flat()
    .filter((part) => typeof part === 'string' && part !== '')
    .join('; ') || undefined

/** A ticket's id as its tool gave it, which goes into addresses and into the database; undefined where it is none. */
export const ticketIdOf = (id: unknown): string | undefined =>
  typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : undefined
