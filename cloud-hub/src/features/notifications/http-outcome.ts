import type { Answer, Failure } from '../../support/net/guarded-client.ts'
import type { DeliveryOutcome } from './channel.ts'

/** 2xx is delivered; 4xx other than 408 and 429 is final; everything else is tried again. */
export function outcomeOf(answer: Answer | Failure): DeliveryOutcome {
  if (!answer.ok) return { kind: answer.reason === 'blocked' ? 'permanent' : 'transient', error: answer.message }
  const { status, retryAfterSeconds } = answer
  if (status >= 200 && status < 300) return { kind: 'delivered', responseStatus: status }
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429
  const error =
    status >= 300 && status < 400
      ? `the receiver answered ${status}; redirects are not followed`
      : `the receiver answered ${status}`
  return {
    kind: isFinal ? 'permanent' : 'transient',
    error,
    responseStatus: status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}
