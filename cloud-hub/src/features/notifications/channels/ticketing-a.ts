import { z } from '../../../support/http/z.ts'
import type { Answer, GuardedRequest } from '../../../support/net/guarded-client.ts'
import type { Channel, ChannelTools, DeliveryOutcome, Notice } from '../channel.ts'
import { jsonOf, outcomeOf, said } from '../http-outcome.ts'
import { clip, commentText, isEndOfTest, plainText } from '../notice-text.ts'
import { Address, basic, judgeAddresses, originOf, under } from '../vendor-address.ts'

const Config = z.object({
  base_url: Address,
  email: z.email('must be an e-mail address').max(254),
  api_token: z.string().min(1, 'must not be empty').max(1_000),
  project_key: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,99}$/, 'must be the key of a project, such as OPS'),
  issue_type: z.string().min(1, 'must not be empty').max(100).default('Task'),
})
type Config = z.output<typeof Config>

/** Atlassian Document Format: a paragraph for each line. */
const document = (text: string) => ({
  type: 'doc',
  version: 1,
  content: text.split('\n').map((line) => ({ type: 'paragraph', content: line === '' ? [] : [{ type: 'text', text: line }] })),
})

const reason = (answer: Answer) => {
  const { errorMessages, errors } = jsonOf(answer)
  const fields = errors && typeof errors === 'object' ? Object.entries(errors).map(([field, fault]) => `${field}: ${fault}`) : []
  return said(errorMessages, fields)
}

interface Issue {
  id?: string
  fields?: { status?: { statusCategory?: { key?: string } } }
}
const isDone = ({ fields }: Issue) => fields?.status?.statusCategory?.key === 'done'

/**
 * The ticket that is open for this key. Known ones are asked for first: the search finds a new issue only some seconds after it was made.
 * @returns its id, null when there is none, or how asking failed
 */
async function openIssue(notice: Notice, config: Config, call: Call): Promise<string | null | { failed: DeliveryOutcome }> {
  if (!notice.ticket) return null
  const { key, knownId } = notice.ticket
  if (knownId) {
    const known = await call('GET', `/issue/${encodeURIComponent(knownId)}?fields=status`)
    const isGone = known.ok && (known.status === 404 || known.status === 410)
    const outcome = outcomeOf(known, reason)
    if (outcome.kind !== 'delivered' && !isGone) return { failed: outcome }
    if (known.ok && !isGone && !isDone(jsonOf(known))) return knownId
  }
  const jql = `project = "${config.project_key}" AND labels = "${key}" AND statusCategory != Done ORDER BY created DESC`
  const found = await call('POST', '/search/jql', { jql, maxResults: 1, fields: ['status'] })
  const outcome = outcomeOf(found, reason)
  if (!found.ok || outcome.kind !== 'delivered') return { failed: outcome }
  const [issue] = (jsonOf(found).issues ?? []) as Issue[]
  return issue?.id ?? null
}

type Call = (method: string, path: string, body?: unknown) => ReturnType<ChannelTools['http']['request']>

const caller =
  (config: Config, http: ChannelTools['http']): Call =>
  (method, path, body) => {
    const request: GuardedRequest = {
      method,
      headers: {
        accept: 'application/json',
        authorization: basic(config.email, config.api_token),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      wholeBody: true,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    return http.request(under(config.base_url, `/rest/api/3${path}`), request)
  }

/**
 * Takes the first way of the project's workflow to a status that means done.
 * Source: developer.atlassian.com, "Get transitions" (`to.statusCategory.key`) and "Transition issue" (204)
 */
async function endTest(id: string, call: Call): Promise<DeliveryOutcome> {
  const at = `/issue/${encodeURIComponent(id)}/transitions`
  const known = await call('GET', at)
  const outcome = outcomeOf(known, reason)
  if (!known.ok || outcome.kind !== 'delivered') return outcome
  const { transitions } = jsonOf(known) as { transitions?: { id?: string; to?: NonNullable<Issue['fields']>['status'] }[] }
  const way = Array.isArray(transitions) ? transitions.find(({ to }) => to?.statusCategory?.key === 'done') : undefined
  if (!way?.id) return { kind: 'permanent', error: 'the workflow has no transition from its first status to one that means done' }
  return outcomeOf(await call('POST', at, { transition: { id: way.id } }), reason)
}

/**
 * Jira Cloud, REST API v3. One open ticket per machine, metric and unit, found again by a label; what follows is a comment.
 * Source: developer.atlassian.com, "Issues" (201 with `id`; 400 with `errorMessages` and `errors`), "Issue comments", "Issue search",
 * "Rate limiting" (429 with Retry-After)
 */
export const ticketingA: Channel<Config> = {
  audience: 'ticketing',
  config: Config,
  secrets: ['api_token'],
  target: (config) => originOf(config.base_url),
  judge: ({ base_url }, http) => judgeAddresses(http, {}, { base_url }),
  deliver: async (notice, config, { http, publicUrl }) => {
    const call = caller(config, http)
    if (isEndOfTest(notice)) return endTest(notice.ticket?.knownId ?? '', call)
    const open = await openIssue(notice, config, call)
    if (open !== null && typeof open === 'object') return open.failed
    if (open !== null) {
      const comment = { body: document(commentText(notice, publicUrl)) }
      const outcome = outcomeOf(await call('POST', `/issue/${encodeURIComponent(open)}/comment`, comment), reason)
      return outcome.kind === 'delivered' ? { ...outcome, ticketId: open } : outcome
    }
    // closed by a person meanwhile: nobody waits to hear that it is over
    if (notice.event !== 'raised') return { kind: 'delivered' }
    const fields = {
      project: { key: config.project_key },
      issuetype: { name: config.issue_type },
      summary: clip(`[${notice.severity}] ${notice.message}`.replace(/\s+/g, ' '), 255),
      description: document(plainText(notice, publicUrl)),
      labels: ['haltless', ...(notice.ticket ? [notice.ticket.key] : [])],
    }
    const made = await call('POST', '/issue', { fields })
    const outcome = outcomeOf(made, reason)
    if (!made.ok || outcome.kind !== 'delivered') return outcome
    const { id } = jsonOf(made)
    return { ...outcome, ...(typeof id === 'string' && { ticketId: id }) }
  },
}
