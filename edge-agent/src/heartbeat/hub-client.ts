import {
  type AgentCheck,
  AgentCheckAnswer,
  Directives,
  HeartbeatAnswer,
  type SourceBrowseAnswer,
  type Telemetry,
} from '@haltless/protocol'
import { StoredCredential } from '../enrolment/stored-credential.ts'
import { errorMessage } from '../support/error-message.ts'
import type { HttpAnswer, HttpClient } from '../support/http.ts'
import { isOfTheHub, problemDetail } from '../support/problem.ts'
import type { ApiKey } from '../support/secret.ts'
import type { HoldReason } from '../uplink/authorization.ts'

/** The hub's answer to a heartbeat. */
export type HeartbeatOutcome =
  | { kind: 'granted'; answer: Omit<HeartbeatAnswer, 'sources' | 'update'>; sources?: unknown; update?: unknown }
  | { kind: 'held'; reason: HoldReason; detail: string; directives: Directives | null }
  /** no answer, or one that does not concern this agent: the previous state continues */
  | { kind: 'unclear'; detail: string; waitMs: number | null; isAnswered: boolean }

/** A heartbeat that takes longer counts as lost. */
const TIMEOUT_MS = 15_000

/** One `POST /api/v1/agent/heartbeat`. Never rejects. */
export async function sendHeartbeat(
  http: HttpClient,
  hub: { url: string; apiKey: ApiKey },
  telemetry: Telemetry,
  signal?: AbortSignal,
): Promise<HeartbeatOutcome> {
  try {
    const headers = { 'x-api-key': hub.apiKey.reveal() }
    return outcomeOf(hub, await http.post(`${hub.url}/api/v1/agent/heartbeat`, telemetry, headers, TIMEOUT_MS, signal))
  } catch (error) {
    return { kind: 'unclear', detail: errorMessage(error), waitMs: null, isAnswered: false }
  }
}

/**
 * One `POST /api/v1/agent/check`.
 * @returns null when the hub does not know the operation, because it is older
 * @throws when the hub gives no such answer
 */
export async function requestCheck(
  http: HttpClient,
  hub: { url: string; apiKey: ApiKey },
  body: AgentCheck,
): Promise<AgentCheckAnswer | null> {
  const answer = await http.post(`${hub.url}/api/v1/agent/check`, body, { 'x-api-key': hub.apiKey.reveal() }, TIMEOUT_MS)
  if (answer.status === 404) return null
  const parsed = AgentCheckAnswer.safeParse(answer.body)
  if (answer.status !== 200 || !parsed.success) throw new Error(`the hub answered ${answer.status}${problemDetail(answer.body)}`)
  return parsed.data
}

/** One `POST /api/v1/agent/browse`. @throws when the hub does not take it */
export async function sendBrowseAnswer(
  http: HttpClient,
  hub: { url: string; apiKey: ApiKey },
  body: { agent_id: string; request_id: string; answer: SourceBrowseAnswer },
): Promise<void> {
  const { status, body: said } = await http.post(
    `${hub.url}/api/v1/agent/browse`,
    body,
    { 'x-api-key': hub.apiKey.reveal() },
    TIMEOUT_MS,
  )
  if (status !== 204) throw new Error(`the hub answered ${status}${problemDetail(said)}`)
}

function outcomeOf(
  { url, apiKey }: { url: string; apiKey: ApiKey },
  { status, body, retryAfterMs }: HttpAnswer,
): HeartbeatOutcome {
  const detail = `the hub answered ${status}${problemDetail(body)}`
  if (status === 200) {
    // the receivers validate sources and update: faulty ones are no reason to stop sending
    const answer = HeartbeatAnswer.omit({ sources: true, update: true }).safeParse(body)
    if (answer.success && answer.data.status === 'ok') {
      const { sources, update } = body as { sources?: unknown; update?: unknown }
      return { kind: 'granted', answer: answer.data, sources, update }
    }
    if (answer.success) return { kind: 'held', reason: 'payment_required', detail, directives: answer.data }
    return {
      kind: 'unclear',
      detail: 'the answer is not that of a Haltless hub; is hub.url right?',
      waitMs: null,
      isAnswered: true,
    }
  }
  if (status === 402) {
    const directives = Directives.safeParse(body)
    const words = 'the hub asks for payment; readings are kept here until it is settled'
    return { kind: 'held', reason: 'payment_required', detail: words, directives: directives.data ?? null }
  }
  // what a firewall or proxy on the way answers says nothing about this agent
  const isForeign = (status === 401 || status === 403 || status === 409) && !isOfTheHub(body, status)
  if (isForeign) {
    const words = `${status} was answered by something on the way to the hub, such as a firewall or proxy: let it pass ${url}`
    return { kind: 'unclear', detail: words, waitMs: retryAfterMs, isAnswered: true }
  }
  if (status === 401 || status === 403) {
    const why =
      apiKey instanceof StoredCredential
        ? `the credential of this agent (${status}): an admin released the agent or revoked its credential; enrol it again`
        : `the API key (${status}): it was revoked, or hub.api_key is wrong`
    const words = `the hub refuses ${why}; readings are kept here`
    return { kind: 'held', reason: 'credential_refused', detail: words, directives: null }
  }
  if (status === 409) {
    const words = 'another running agent holds this agent_id: give one of the two another agent_id; readings are kept here'
    return { kind: 'held', reason: 'agent_id_in_use', detail: words, directives: null }
  }
  return { kind: 'unclear', detail, waitMs: retryAfterMs, isAnswered: true }
}
