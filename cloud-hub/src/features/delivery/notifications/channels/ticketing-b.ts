import { z } from '../../../../support/http/z.ts'
import type { Answer, Failure } from '../../../../support/net/guarded-request.ts'
import type { Channel, ChannelTools, DeliveryOutcome } from '../channel.ts'
import { jsonOf, outcomeOfJson, said, ticketIdOf } from '../http-outcome.ts'
import { clip, commentText, isEndOfTest, plainText } from '../notice-text.ts'
import { Address, basic, checkAddresses, credential, originOf, under } from '../vendor-address.ts'

const Config = z.strictObject({
  instance_url: Address,
  username: credential(200).regex(/^[^:]*$/, 'must not contain a colon'),
  password: credential(500),
  table: z
    .string()
    .regex(/^[a-z0-9_]{1,80}$/, 'must be the name of a table, such as incident')
    .default('incident'),
  base_url: Address.optional(),
})
type Config = z.output<typeof Config>

/** Of urgency and impact: 1 is high, 3 is low. */
const LEVELS = { critical: '1', warning: '2', info: '3' } as const

const reason = (answer: Answer) => {
  const { error } = jsonOf(answer) as { error?: { message?: unknown; detail?: unknown } }
  return said(error?.message, error?.detail)
}

/**
 * A transaction that ran out of time is answered by 200 all the same, with an `error` behind a result that may not be all; one that was put off,
 * and perhaps dropped, by 202.
 */
function recordOutcome(answer: Answer | Failure): DeliveryOutcome {
  const outcome = outcomeOfJson(answer, reason)
  if (!answer.ok || outcome.kind !== 'delivered') return outcome
  const { status } = answer
  if (status !== 202 && jsonOf(answer).error === undefined) return outcome
  return {
    kind: 'transient',
    error: `the receiver answered ${status}: ${reason(answer) ?? 'it was not done'}`,
    responseStatus: status,
  }
}

/** Between these tags a work note is read as HTML; U+2060, which nobody sees, makes them plain text. */
const plain = (text: string) => text.replace(/\[(?=\/?code\])/gi, '[\u2060')

interface Found {
  sys_id?: unknown
  correlation_id?: unknown
}

type Call = (method: string, path: string, body?: unknown) => ReturnType<ChannelTools['http']['request']>

/** `Canceled` of an incident, which asks for no resolution. */
const CANCELED = '8'

/**
 * Cancels the record, and looks whether it still counts as active: the states of other tables are their own.
 * Source: servicenow.com/docs, "Table API" (PATCH answers the record as it is then), "Incident states"
 */
async function endTest(id: string, call: Call): Promise<DeliveryOutcome> {
  const answer = await call('PATCH', `/${encodeURIComponent(id)}?sysparm_fields=active`, { state: CANCELED })
  const outcome = recordOutcome(answer)
  if (!answer.ok || outcome.kind !== 'delivered') return outcome
  const { result } = jsonOf(answer) as { result?: { active?: unknown } }
  return String(result?.active) === 'false' ? outcome : { kind: 'permanent', error: 'the record is still active' }
}

/**
 * ServiceNow, Table API. One active record per machine, metric and unit, found again by its `correlation_id`; what follows is a work note.
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
      http.request(under(config.base_url ?? config.instance_url, `/api/now/table/${config.table}${path}`), {
        method,
        headers: {
          accept: 'application/json',
          authorization: basic(config.username, config.password),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          // the whole record is longer than what is read, where people keep long ones
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
      const { result } = jsonOf(found)
      const records: (Found | null)[] = Array.isArray(result) ? result : []
      // of a table without that field the query finds somebody else's records
      const ticketId = ticketIdOf(records.find((one) => one?.correlation_id === key)?.sys_id)
      if (ticketId) {
        const answer = await call('PATCH', `/${ticketId}`, { work_notes: plain(commentText(notice, publicUrl)) })
        const noted = recordOutcome(answer)
        if (noted.kind === 'delivered') return { ...noted, ticketId }
        // deleted since it was found: as if it had not been
        if (!answer.ok || answer.status !== 404) return noted
      }
      // closed or deleted by a person meanwhile: nobody waits to hear that it is over
      if (notice.event !== 'raised') return { kind: 'delivered', responseStatus: found.status }
    }
    const made = await call('POST', '', {
      short_description: clip(`[${notice.severity}] ${notice.message}`, 160),
      description: plainText(notice, publicUrl),
      urgency: LEVELS[notice.severity],
      impact: LEVELS[notice.severity],
      ...(key !== undefined && { correlation_id: key, correlation_display: 'Haltless' }),
    })
    const outcome = recordOutcome(made)
    if (!made.ok || outcome.kind !== 'delivered') return outcome
    const { result } = jsonOf(made) as { result?: Found | null }
    const ticketId = ticketIdOf(result?.sys_id)
    return { ...outcome, ...(ticketId && { ticketId }) }
  },
}
