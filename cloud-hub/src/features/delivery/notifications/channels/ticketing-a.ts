import { fault } from '@haltless/protocol/faults'
import { Email } from '../../../../support/http/email-address.ts'
import { invalid } from '../../../../support/http/validation-message.ts'
import { z } from '../../../../support/http/z.ts'
import type { Answer, Failure, GuardedRequest } from '../../../../support/net/guarded-request.ts'
import type { Channel, ChannelTools, DeliveryOutcome, Notice } from '../channel.ts'
import { joinTexts, jsonBody, outcomeOf, outcomeOfJson, ticketIdOf } from '../http-outcome.ts'
import { commentText, isEndOfTest, plainText, truncateLine } from '../notice-text.ts'
import { Address, basicAuth, checkAddresses, credential, joinUrl, originOf } from '../vendor-address.ts'

const Config = z.strictObject({
  base_url: Address,
  email: Email,
  api_token: credential(1_000),
  project_key: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,99}$/, invalid('invalid_credential', {}, 'must be the key of a project, such as OPS')),
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
  const { errorMessages, errors } = jsonBody(answer)
  const fields =
    errors && typeof errors === 'object'
      ? Object.entries(errors).map(([field, fault]) => (typeof fault === 'string' ? `${field}: ${fault}` : field))
      : []
  return joinTexts(errorMessages, fields)
}

interface Issue {
  id?: unknown
  fields?: { status?: { statusCategory?: { key?: string } } }
}
const isDone = ({ fields }: Issue) => fields?.status?.statusCategory?.key === 'done'

/** The search may lag by this much, so the next attempt after an unconfirmed creation waits for it. */
const SEARCH_SECONDS = 60
const mayExist = (made: Answer | Failure) => (made.ok ? made.status >= 500 : made.mayHaveArrived)

const isGone = (answer: Answer | Failure) => answer.ok && (answer.status === 404 || answer.status === 410)

/**
 * Finds the open ticket for this key. A known ticket is read first, because the search lags: it misses new tickets and still
 * lists closed ones.
 * @returns its id, null when there is none, or the failure of the lookup
 */
async function openIssue(notice: Notice, config: Config, call: Call): Promise<string | null | { failed: DeliveryOutcome }> {
  if (!notice.ticket) return null
  const { key, knownId } = notice.ticket
  if (knownId) {
    const known = await call('GET', `/issue/${encodeURIComponent(knownId)}?fields=status`)
    const outcome = outcomeOfJson(known, reason)
    if (outcome.kind !== 'delivered' && !isGone(known)) return { failed: outcome }
    if (known.ok && !isGone(known) && !isDone(jsonBody(known))) return knownId
  }
  const jql = `project = "${config.project_key}" AND labels = "${key}" AND statusCategory != Done ORDER BY created DESC`
  const found = await call('POST', '/search/jql', { jql, maxResults: 2, fields: ['status'] })
  const outcome = outcomeOfJson(found, reason)
  if (!found.ok || outcome.kind !== 'delivered') return { failed: outcome }
  const { issues } = jsonBody(found)
  const ids = (Array.isArray(issues) ? issues : []).map((issue: Issue | null) => ticketIdOf(issue?.id))
  return ids.find((id) => id !== undefined && id !== knownId) ?? null
}

type Call = (method: string, path: string, body?: unknown) => ReturnType<ChannelTools['http']['request']>

const caller =
  (config: Config, http: ChannelTools['http']): Call =>
  (method, path, body) => {
    const request: GuardedRequest = {
      method,
      headers: {
        accept: 'application/json',
        authorization: basicAuth(config.email, config.api_token),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      wholeBody: true,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    return http.request(joinUrl(config.base_url, `/rest/api/3${path}`), request)
  }

/**
 * Executes the first transition of the project's workflow to a status of the category `done`.
 * Source: developer.atlassian.com, "Get transitions" (`to.statusCategory.key`) and "Transition issue" (204)
 */
async function endTest(id: string, call: Call): Promise<DeliveryOutcome> {
  const at = `/issue/${encodeURIComponent(id)}/transitions`
  const known = await call('GET', at)
  const outcome = outcomeOfJson(known, reason)
  if (!known.ok || outcome.kind !== 'delivered') return outcome
  const { transitions } = jsonBody(known) as { transitions?: { id?: string; to?: NonNullable<Issue['fields']>['status'] }[] }
  const way = Array.isArray(transitions) ? transitions.find(({ to }) => to?.statusCategory?.key === 'done') : undefined
  if (!way?.id) return { kind: 'permanent', fault: fault('ticket_without_transition') }
  return outcomeOf(await call('POST', at, { transition: { id: way.id } }), reason)
}

/**
 * Jira Cloud, REST API v3. One open ticket per machine, metric and unit, found again by a label; later events are comments.
 * Source: developer.atlassian.com, "Issues" (201 with `id`; 400 with `errorMessages` and `errors`; summary of 255 characters), "Issue comments"
 * (404 when the issue is gone), "Search After Write with Search And Reconcile" (a search is seconds behind), "Atlassian Document Format" (texts
 * are no markup), "Rate limiting" (429 with Retry-After)
 */
export const ticketingA: Channel<Config> = {
  product: 'Jira',
  audience: 'ticketing',
  followsAlert: true,
  subjectKind: 'series',
  config: Config,
  secrets: ['api_token'],
  target: (config) => originOf(config.base_url),
  check: ({ base_url }, http) => checkAddresses(http, {}, { base_url }),
  deliver: async (notice, config, { http, publicUrl }) => {
    const call = caller(config, http)
    if (isEndOfTest(notice)) return endTest(notice.ticket?.knownId ?? '', call)
    const open = await openIssue(notice, config, call)
    if (open !== null && typeof open === 'object') return open.failed
    if (open !== null) {
      const comment = { body: document(commentText(notice, publicUrl)) }
      const commented = await call('POST', `/issue/${encodeURIComponent(open)}/comment`, comment)
      const outcome = outcomeOfJson(commented, reason)
      if (outcome.kind === 'delivered') return { ...outcome, ticketId: open }
      // the ticket was deleted and the search still finds it: treat it as not found
      if (!isGone(commented)) return outcome
    }
    // a person closed or deleted the ticket: there is nothing to comment on
    if (notice.event !== 'raised') return { kind: 'delivered' }
    const fields = {
      project: { key: config.project_key },
      issuetype: { name: config.issue_type },
      summary: truncateLine(`[${notice.severity}] ${notice.message}`, 255),
      description: document(plainText(notice, publicUrl)),
      labels: ['haltless', ...(notice.ticket ? [notice.ticket.key] : [])],
    }
    const made = await call('POST', '/issue', { fields })
    const outcome = outcomeOfJson(made, reason)
    if (!made.ok || outcome.kind !== 'delivered')
      return mayExist(made) ? { retryAfterSeconds: SEARCH_SECONDS, ...outcome } : outcome
    const ticketId = ticketIdOf(jsonBody(made).id)
    return { ...outcome, ...(ticketId && { ticketId }) }
  },
}
