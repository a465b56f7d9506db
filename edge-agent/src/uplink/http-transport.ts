import { type IngestReading, IngestResult, type Reading, type Receipt, toReadings } from '@haltless/protocol'
import { errorMessage } from '../support/error-message.ts'
import type { HttpAnswer, HttpClient } from '../support/http.ts'
import { isOfTheHub, problemDetail } from '../support/problem.ts'
import type { ApiKey } from '../support/secret.ts'
import type { BatchMessage, SendOutcome, Transport } from './transport.ts'

export interface HttpTransportOptions {
  hubUrl: string
  agentId: string
  apiKey: ApiKey
  http: HttpClient
}

/** `POST /api/v1/ingest`, for plants whose network lets nothing else through. The 207 is the receipt. */
export class HttpTransport implements Transport {
  readonly kind = 'http'
  brokenBy: string | null = null
  readonly #options: HttpTransportOptions
  readonly #closing = new AbortController()

  constructor(options: HttpTransportOptions) {
    this.#options = options
  }

  async send(batch: BatchMessage, timeoutMs: number): Promise<SendOutcome> {
    try {
      const outcome = await this.#post(toReadings(batch.columns()), timeoutMs)
      return outcome.kind === 'receipt' ? { kind: 'receipt', receipt: { ...outcome.receipt, batch_id: batch.batchId } } : outcome
    } catch (error) {
      this.brokenBy ??= errorMessage(error)
      return { kind: 'silent', why: errorMessage(error) }
    }
  }

  async close(): Promise<void> {
    this.brokenBy ??= 'closed'
    this.#closing.abort()
  }

  async #post(readings: readonly Reading[], timeoutMs: number): Promise<SendOutcome> {
    const { hubUrl, agentId, apiKey, http } = this.#options
    const body = { agent_id: agentId, readings: readings.map(toIngest) }
    const key = apiKey.reveal()
    const headers = { 'x-api-key': key }
    const answer = await http.post(`${hubUrl}/api/v1/ingest`, body, headers, timeoutMs, this.#closing.signal)
    if (answer.status === 413 && readings.length > 1) return this.#postHalves(readings, timeoutMs)
    // The agent replaced its credential while the request was under way.
    if (answer.status === 401 && key !== apiKey.reveal())
      return { kind: 'busy', waitMs: null, why: 'the credential was replaced meanwhile' }
    return outcomeOf(answer, readings.length)
  }

  async #postHalves(readings: readonly Reading[], timeoutMs: number): Promise<SendOutcome> {
    const half = readings.length >> 1
    const first = await this.#post(readings.slice(0, half), timeoutMs)
    if (first.kind !== 'receipt') return first
    const second = await this.#post(readings.slice(half), timeoutMs)
    return second.kind === 'receipt'
      ? { kind: 'receipt', receipt: joinReceipts(first.receipt, second.receipt, half, readings.length) }
      : second
  }
}

const toIngest = ({ machine, metric, unit, rawTag, timestamp, value }: Reading): IngestReading => ({
  machine_identifier: machine,
  metric_name: metric,
  unit,
  raw_tag: rawTag,
  timestamp: new Date(timestamp).toISOString(),
  value,
})

function outcomeOf(answer: HttpAnswer, count: number): SendOutcome {
  const { status, body, retryAfterMs } = answer
  const why = `the hub answered ${status}${problemDetail(body)}`
  if (status === 207) {
    const result = IngestResult.safeParse(withCodes(body))
    return result.success
      ? { kind: 'receipt', receipt: { batch_id: '', ...result.data } }
      : { kind: 'silent', why: 'the answer is no 207 body' }
  }
  if (status === 402) return { kind: 'held', reason: 'payment_required', why }
  if ((status === 401 || status === 403) && isOfTheHub(body, status)) return { kind: 'held', reason: 'credential_refused', why }
  // The hub will never accept this request: sending it again is useless. A proxy in between sends such statuses too, and the hub
  // may accept tomorrow what the proxy refuses today.
  if ((status === 400 || status === 413 || status === 422) && isOfTheHub(body, status)) {
    const refused = { code: `http_${status}`, detail: why }
    return { kind: 'receipt', receipt: { batch_id: '', accepted_count: 0, rejected_count: count, errors: [], refused } }
  }
  return { kind: 'busy', waitMs: retryAfterMs, why }
}

/** The specification's 207 names no code. */
function withCodes(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('errors' in body) || !Array.isArray(body.errors)) return body
  return { ...body, errors: body.errors.map((error: object) => ({ code: 'rejected', machine_identifier: null, ...error })) }
}

/** Two halves of one batch: what is refused as a whole in one of them is rejected by index in both together. */
function joinReceipts(first: Receipt, second: Receipt, half: number, count: number): Receipt {
  const errors = [
    ...errorsOf(first, half),
    ...errorsOf(second, count - half).map((error) => ({ ...error, index: error.index + half })),
  ]
  return { batch_id: '', accepted_count: count - errors.length, rejected_count: errors.length, errors }
}

function errorsOf({ refused, errors }: Receipt, count: number): Receipt['errors'] {
  if (!refused) return errors
  return Array.from({ length: count }, (_, index) => ({
    index,
    machine_identifier: null,
    code: refused.code,
    error: refused.detail,
  }))
}
