import { z } from '../../../support/http/z.ts'
import type { Answer } from '../../../support/net/guarded-client.ts'
import type { Channel, ChannelTools, DeliveryOutcome } from '../channel.ts'
import { jsonOf, outcomeOf, said } from '../http-outcome.ts'
import { clip, commentText, isEndOfTest, plainText } from '../notice-text.ts'
import { Address, basic, judgeAddresses, originOf, under } from '../vendor-address.ts'

const Config = z.object({
  instance_url: Address,
  username: z.string().min(1, 'must not be empty').max(200),
  password: z.string().min(1, 'must not be empty').max(500),
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

type Call = (method: string, path: string, body?: unknown) => ReturnType<ChannelTools['http']['request']>

/** `Canceled` of an incident, which asks for no resolution. */
const CANCELED = '8'

/**
 * Cancels the record, and looks whether it still counts as active: the states of other tables are their own.
 * Source: servicenow.com/docs, "Table API" (PATCH answers the record as it is then), "Incident states"
 */
async function endTest(id: string, call: Call): Promise<DeliveryOutcome> {
  const answer = await call('PATCH', `/${encodeURIComponent(id)}?sysparm_fields=active`, { state: CANCELED })
  const outcome = outcomeOf(answer, reason)
  if (!answer.ok || outcome.kind !== 'delivered') return outcome
  const { result } = jsonOf(answer) as { result?: { active?: unknown } }
  return String(result?.active) === 'false' ? outcome : { kind: 'permanent', error: 'the record is still active' }
}

/**
 * ServiceNow, Table API. One active record per machine, metric and unit, found again by its `correlation_id`; what follows is a work note.
 * Source: servicenow.com/docs, "Table API" (Basic credentials, 201 with `result.sys_id`, `error.message` and `error.detail`,
 * `sysparm_query`), "Inbound REST API rate limiting" (429 with Retry-After)
 */
export const ticketingB: Channel<Config> = {
  audience: 'ticketing',
  config: Config,
  secrets: ['password'],
  target: (config) => originOf(config.base_url ?? config.instance_url),
  judge: ({ instance_url, base_url }, http) => judgeAddresses(http, {}, { instance_url, base_url }),
  deliver: async (notice, config, { http, publicUrl }) => {
    const call: Call = (method, path, body) =>
      http.request(under(config.base_url ?? config.instance_url, `/api/now/table/${config.table}${path}`), {
        method,
        headers: {
          accept: 'application/json',
          authorization: basic(config.username, config.password),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
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
        sysparm_fields: 'sys_id',
      })
      const found = await call('GET', `?${query}`)
      const outcome = outcomeOf(found, reason)
      if (!found.ok || outcome.kind !== 'delivered') return outcome
      const [record] = (jsonOf(found).result ?? []) as { sys_id?: string }[]
      if (record?.sys_id) {
        const note = { work_notes: commentText(notice, publicUrl) }
        const noted = outcomeOf(await call('PATCH', `/${encodeURIComponent(record.sys_id)}`, note), reason)
        return noted.kind === 'delivered' ? { ...noted, ticketId: record.sys_id } : noted
      }
      // closed by a person meanwhile: nobody waits to hear that it is over
      if (notice.event !== 'raised') return { kind: 'delivered', responseStatus: found.status }
    }
    const made = await call('POST', '', {
      short_description: clip(`[${notice.severity}] ${notice.message}`.replace(/\s+/g, ' '), 160),
      description: clip(plainText(notice, publicUrl), 4_000),
      urgency: LEVELS[notice.severity],
      impact: LEVELS[notice.severity],
      ...(key !== undefined && { correlation_id: key, correlation_display: 'Haltless' }),
    })
    const outcome = outcomeOf(made, reason)
    if (!made.ok || outcome.kind !== 'delivered') return outcome
    const { result } = jsonOf(made) as { result?: { sys_id?: unknown } }
    return { ...outcome, ...(typeof result?.sys_id === 'string' && { ticketId: result.sys_id }) }
  },
}
