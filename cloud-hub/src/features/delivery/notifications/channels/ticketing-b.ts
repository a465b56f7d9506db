import { fault } from '@haltless/protocol/faults'
import { invalid } from '../../../../support/http/validation-message.ts'
import { z } from '../../../../support/http/z.ts'
import type { Answer, Failure } from '../../../../support/net/guarded-request.ts'
import type { Channel, ChannelTools, DeliveryOutcome } from '../channel.ts'
import { joinTexts, jsonBody, outcomeOfJson, ticketIdOf } from '../http-outcome.ts'
import { commentText, isEndOfTest, oneLine, plainText, truncateLine } from '../notice-text.ts'
import { Address, basicAuth, checkAddresses, credential, joinUrl, originOf } from '../vendor-address.ts'

const Config = z.strictObject({
  instance_url: Address,
  username: credential(200).regex(/^[^:]*$/, invalid('contains_colon')),
  password: credential(500),
  table: z
    .string()
    .regex(/^[a-z0-9_]{1,80}$/, invalid('invalid_credential', {}, 'must be the name of a table, such as incident'))
    .default('incident'),
  base_url: Address.optional(),
})
type Config = z.output<typeof Config>

/** Of urgency and impact: 1 is high, 3 is low. */
const LEVELS = { critical: '1', warning: '2', info: '3' } as const

const reason = (answer: Answer) => {
  const { error } = jsonBody(answer) as { error?: { message?: unknown; detail?: unknown } }
  return joinTexts(error?.message, error?.detail)
}

/**
 * The API answers 200 with an `error` beside an incomplete result when its transaction timed out. It answers 202 when it deferred
 * the request and may drop it. Both are transient.
 */
function recordOutcome(answer: Answer | Failure): DeliveryOutcome {
  const outcome = outcomeOfJson(answer, reason)
  if (!answer.ok || outcome.kind !== 'delivered') return outcome
  const { status } = answer
  if (status !== 202 && jsonBody(answer).error === undefined) return outcome
  const explanation = oneLine(reason(answer) ?? '')
  return {
    kind: 'transient',
    fault: explanation
      ? fault('receiver_explains', { answer: fault('receiver_answered', { status }), explanation })
      : fault('receiver_deferred', { status }),
    responseStatus: status,
  }
}

/** A work note renders text between `[code]` tags as HTML; the invisible U+2060 disables the tags. */
const plain = (text: string) => text.replace(/\[(?=\/?code\])/gi, '[\u2060')

interface Found {
  sys_id?: unknown
  correlation_id?: unknown
}

type Call = (method: string, path: string, body?: unknown) => ReturnType<ChannelTools['http']['request']>

/** The state `Canceled` of an incident, which requires no resolution. */
const CANCELED = '8'

/**
 * Cancels the record and checks that it is no longer active, because other tables have states of their own.
 * Source: servicenow.com/docs, "Table API" (PATCH answers the changed record), "Incident states"
 */
async function endTest(id: string, call: Call): Promise<DeliveryOutcome> {
  const answer = await call('PATCH', `/${encodeURIComponent(id)}?sysparm_fields=active`, { state: CANCELED })
  const outcome = recordOutcome(answer)
  if (!answer.ok || outcome.kind !== 'delivered') return outcome
  const { result } = jsonBody(answer) as { result?: { active?: unknown } }
  return String(result?.active) === 'false' ? outcome : { kind: 'permanent', fault: fault('ticket_still_active') }
}

/**
 * ServiceNow, Table API. One active record per machine, metric and unit, found again by its `correlation_id`; later events are work notes.
 * Source: servicenow.com/docs, "Table API" (Basic credentials, 201 with `result.sys_id`, `error.message` and `error.detail`, `sysparm_query`),
 * "Supported REST API headers" (`X-no-response-body`), "Journal field type" (code tags), "Inbound REST API rate limiting" (429 with Retry-After);
 * support.servicenow.com, KB1297438 (200 with an `error`) and KB3047080 (202); community.servicenow.com, "glide.invalid_query.returns_no_rows" (a
 * condition on a field that is not there is left out)
 */
export const ticketingB: Channel<Config> = {
  product: 'ServiceNow',
  audience: 'ticketing',
  followsAlert: true,
  subjectKind: 'series',
  config: Config,
  secrets: ['password'],
  target: (config) => originOf(config.base_url ?? config.instance_url),
  check: ({ instance_url, base_url }, http) => checkAddresses(http, {}, { instance_url, base_url }),
  deliver: async (notice, config, { http, publicUrl }) => {
    const call: Call = (method, path, body) =>
      http.request(joinUrl(config.base_url ?? config.instance_url, `/api/now/table/${config.table}${path}`), {
        method,
        headers: {
          accept: 'application/json',
          authorization: basicAuth(config.username, config.password),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          // the whole record can exceed the limit of an answer
          ...(method === 'PATCH' && { 'x-no-response-body': 'true' }),
        },
        wholeBody: true,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    if (isEndOfTest(notice)) return endTest(notice.ticket?.knownId ?? '', call)
    const key = notice.ticket?.key
    if (key !== undefined) {
      const query = new URLSearchParams({
        sysparm_query: `correlation_id=${key}^active=true^ORDERBYDESCsys_created_on`,
        sysparm_limit: '1',
        sysparm_fields: 'sys_id,correlation_id',
      })
      const found = await call('GET', `?${query}`)
      const outcome = recordOutcome(found)
      if (!found.ok || outcome.kind !== 'delivered') return outcome
      const { result } = jsonBody(found)
      const records: (Found | null)[] = Array.isArray(result) ? result : []
      // a table without that field ignores the condition and returns other records
      const ticketId = ticketIdOf(records.find((one) => one?.correlation_id === key)?.sys_id)
      if (ticketId) {
        const answer = await call('PATCH', `/${ticketId}`, { work_notes: plain(commentText(notice, publicUrl)) })
        const noted = recordOutcome(answer)
        if (noted.kind === 'delivered') return { ...noted, ticketId }
        // the record was deleted since the lookup: treat it as not found
        if (!answer.ok || answer.status !== 404) return noted
      }
      // a person closed or deleted the ticket: there is nothing to comment on
      if (notice.event !== 'raised') return { kind: 'delivered', responseStatus: found.status }
    }
    const made = await call('POST', '', {
      short_description: truncateLine(`[${notice.severity}] ${notice.message}`, 160),
      description: plainText(notice, publicUrl),
      urgency: LEVELS[notice.severity],
      impact: LEVELS[notice.severity],
      ...(key !== undefined && { correlation_id: key, correlation_display: 'Haltless' }),
    })
    const outcome = recordOutcome(made)
    if (!made.ok || outcome.kind !== 'delivered') return outcome
    const { result } = jsonBody(made) as { result?: Found | null }
    const ticketId = ticketIdOf(result?.sys_id)
    return { ...outcome, ...(ticketId && { ticketId }) }
  },
}
