import type { IncomingMessage } from 'node:http'
import type { ChannelType } from '../../src/features/delivery/notifications/registry.ts'

/** For tests: what arrived at a vendor, its body parsed as its content type says. */
export interface Call {
  method: string
  path: string
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}
export interface Reply {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

type Rules = (call: Call) => Reply | undefined
// biome-ignore lint/suspicious/noExplicitAny: a body may be anything, which is what is judged here
type Any = any

/** The first of these that does not hold, in the words of whoever refuses. */
const broken = (rules: Record<string, unknown>): string | undefined => Object.entries(rules).find(([, holds]) => !holds)?.[0]
const refusal =
  (status: number, say: (what: string) => unknown) =>
  (rules: Record<string, unknown>): Reply | undefined => {
    const what = broken(rules)
    return what === undefined ? undefined : { status, body: say(what) }
  }

const isText = (value: Any, max: number, min = 1) => typeof value === 'string' && value.length >= min && value.length <= max
const isJson = ({ headers }: Call) => /^application\/json(; ?charset=utf-8)?$/i.test(headers['content-type'] ?? '')
const isBasic = ({ headers }: Call) => /^Basic [A-Za-z0-9+/]+={0,2}$/.test(headers.authorization ?? '')
const only = (value: Any, ...keys: string[]) => Object.keys(value ?? {}).every((key) => keys.includes(key))
const every = (list: Any, holds: (one: Any) => unknown, max = 100) =>
  Array.isArray(list) && list.length <= max && list.every((one) => holds(one))
const isUrl = (value: Any) => URL.canParse(value) && /^https?:/.test(value)

const slackText = (text: Any, max: number) =>
  isText(text?.text, max) &&
  (text.type === 'mrkdwn'
    ? only(text, 'type', 'text', 'verbatim')
    : text.type === 'plain_text' && only(text, 'type', 'text', 'emoji')) &&
  !/<[!@#]|<(?!https?:\/\/[^|>]+\|[^<>]+>)|(?<!\|[^<]*)>|&(?!(amp|lt|gt);)/.test(text.text)
const slackBlock = (block: Any) =>
  (block.type === 'section' &&
    only(block, 'type', 'text', 'fields') &&
    (block.text !== undefined || block.fields !== undefined) &&
    (block.text === undefined || slackText(block.text, 3_000)) &&
    (block.fields === undefined || (block.fields.length > 0 && every(block.fields, (field) => slackText(field, 2_000), 10)))) ||
  (block.type === 'context' && every(block.elements, (element) => slackText(element, 3_000), 10))
const slack: Rules = (call) =>
  refusal(
    400,
    (what) => what,
  )({
    invalid_payload: call.method === 'POST' && isJson(call) && only(call.body, 'text', 'blocks', 'mrkdwn'),
    no_text: isText(call.body?.text, 40_000) && !/[<>]/.test(call.body.text),
    invalid_blocks: every(call.body?.blocks, slackBlock, 50),
  })

const teamsRun = (run: Any) =>
  run.type === 'TextRun' &&
  typeof run.text === 'string' &&
  ['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention', undefined].includes(run.color) &&
  ['Default', 'Lighter', 'Bolder', undefined].includes(run.weight) &&
  ['Default', 'Small', 'Medium', 'Large', 'ExtraLarge', undefined].includes(run.size)
const teams: Rules = (call) => {
  const card = call.body?.attachments?.[0]
  // two bytes for each character, as a connector counts
  if (JSON.stringify(call.body).length * 2 > 28 * 1_024) return { status: 413 }
  return refusal(
    400,
    (what) => what,
  )({
    'Bad payload received by generic incoming webhook.': call.method === 'POST' && isJson(call),
    'Summary or Text is required.': call.body?.type === 'message' && call.body.attachments?.length === 1,
    'Unknown attachment': card?.contentType === 'application/vnd.microsoft.card.adaptive' && card.contentUrl === null,
    'Invalid card': card?.content?.type === 'AdaptiveCard' && /^1\.[0-5]$/.test(card.content.version),
    'Invalid element': every(
      card?.content?.body,
      (block) => block.type === 'RichTextBlock' && block.inlines.length > 0 && every(block.inlines, teamsRun),
    ),
    'Invalid action': every(
      card?.content?.actions ?? [],
      (a) => a.type === 'Action.OpenUrl' && isText(a.title, 100) && isUrl(a.url),
      6,
    ),
  })
}

const telegram: Rules = (call) => {
  const say = refusal(400, (description) => ({ ok: false, error_code: 400, description: `Bad Request: ${description}` }))
  if (!/^\/bot\d+:[\w-]+\/sendMessage$/.test(call.path))
    return { status: 404, body: { ok: false, error_code: 404, description: 'Not Found' } }
  const { chat_id, text, parse_mode, ...rest } = call.body ?? {}
  const parsed = String(text)
    .replace(/<(b|code)>([^<>]*)<\/\1>/g, '$2')
    .replace(/&(lt|gt|amp);/g, '*')
  return say({
    'message is not JSON': isJson(call),
    'chat not found': /^(-?\d+|@\w+)$/.test(chat_id),
    'unsupported parse_mode': parse_mode === 'HTML',
    "can't parse entities": !/[<>&]/.test(parsed),
    'message text is empty or too long': isText(parsed, 4_096),
    'unknown parameter': only(rest, 'link_preview_options'),
  })
}

const twilio: Rules = (call) => {
  if (!isBasic(call)) return { status: 401, body: { code: 20003, message: 'Authenticate', status: 401 } }
  const { To, From, MessagingServiceSid, Body } = call.body ?? {}
  return refusal(400, (message) => ({ code: 21600, message, status: 400 }))({
    'not a form': call.headers['content-type'] === 'application/x-www-form-urlencoded',
    '404': /^\/2010-04-01\/Accounts\/AC\w+\/Messages\.json$/.test(call.path),
    "21604: 'To' phone number is required": /^\+[1-9]\d{4,14}$/.test(To),
    "21603: A 'From' number is required": (From === undefined) !== (MessagingServiceSid === undefined),
    '21602: Message body is required': isText(Body, 1_600),
  })
}

const pagerduty: Rules = ({ body, ...call }) => {
  const errors = broken({
    'not JSON': isJson({ ...call, body }) && call.path === '/v2/enqueue' && call.method === 'POST',
    "Length of 'routing_key' is incorrect (should be 32 characters)": isText(body?.routing_key, 32, 32),
    "'event_action' is invalid": ['trigger', 'acknowledge', 'resolve'].includes(body?.event_action),
    "'dedup_key' is missing or too long": isText(body?.dedup_key, 255),
    'unknown key': only(body, 'routing_key', 'event_action', 'dedup_key', 'payload', 'client', 'client_url', 'links', 'images'),
  })
  const p = body?.payload
  const inPayload =
    body?.event_action !== 'trigger'
      ? undefined
      : broken({
          "'payload.summary' is missing or too long": isText(p?.summary, 1_024),
          "'payload.source' is missing or blank": isText(p?.source, 1_024),
          "'payload.severity' is invalid": ['critical', 'error', 'warning', 'info'].includes(p?.severity),
          "'payload.timestamp' is invalid": p?.timestamp === undefined || /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(p.timestamp),
          "'payload' has an unknown key": only(
            p,
            ...['summary', 'source', 'severity', 'timestamp', 'component', 'group', 'class', 'custom_details'],
          ),
          "'links' is invalid": every(body.links ?? [], ({ href, text }) => isUrl(href) && isText(text, 1_024)),
        })
  const all = [errors, inPayload].filter(Boolean)
  return all.length === 0
    ? undefined
    : { status: 400, body: { status: 'invalid event', message: 'Event object is invalid', errors: all } }
}

const opsgenie: Rules = (call) => {
  if (!/^GenieKey \S+$/.test(call.headers.authorization ?? ''))
    return { status: 401, body: { message: 'Key format is not valid!' } }
  const { message, alias, description, tags, entity, source, priority, details, note, ...rest } = call.body ?? {}
  const isCreate = call.path === '/v2/alerts'
  const optional = (value: Any, max: number) => value === undefined || isText(value, max)
  return refusal(422, (message) => ({ message, took: 0, requestId: 'r' }))({
    'not JSON': call.method === 'POST' && isJson(call),
    'no such path': isCreate || /^\/v2\/alerts\/[\w-]{1,512}\/(acknowledge|close)\?identifierType=alias$/.test(call.path),
    'message cannot be empty or too long': !isCreate || isText(message, 130),
    'HTML in a text': !/[<>]/.test(JSON.stringify(call.body)),
    'a text is too long':
      optional(alias, 512) &&
      optional(description, 15_000) &&
      optional(entity, 512) &&
      optional(source, 100) &&
      optional(note, 25_000),
    'tags are invalid': every(tags ?? [], (tag) => isText(tag, 50), 20),
    'priority is invalid': ['P1', 'P2', 'P3', 'P4', 'P5', undefined].includes(priority),
    'details are invalid':
      Object.values(details ?? {}).every((value) => typeof value === 'string') && JSON.stringify(details ?? {}).length <= 8_000,
    'unknown field': Object.keys(rest).length === 0,
  })
}

const isDocument = (doc: Any) =>
  doc?.type === 'doc' &&
  doc.version === 1 &&
  JSON.stringify(doc).length <= 32_767 &&
  every(
    doc.content,
    ({ type, content }) => type === 'paragraph' && every(content, (t) => t.type === 'text' && isText(t.text, 32_767)),
  )
const jira: Rules = (call) => {
  if (!isBasic(call)) return { status: 401, body: { errorMessages: ['Client must be authenticated to access this resource.'] } }
  const { fields, jql, maxResults, body } = call.body ?? {}
  const is = (method: string, path: RegExp) => call.method === method && path.test(call.path)
  const [creates, comments] = [is('POST', /^\/rest\/api\/3\/issue$/), is('POST', /^\/rest\/api\/3\/issue\/\w+\/comment$/)]
  const searches = is('POST', /^\/rest\/api\/3\/search\/jql$/)
  return refusal(400, (what) => ({ errorMessages: [], errors: { request: what } }))({
    'no such path': creates || comments || searches || is('GET', /^\/rest\/api\/3\/issue\/\w+\?fields=status$/),
    'not JSON': call.headers.accept === 'application/json' && (call.method === 'GET' || isJson(call)),
    'jql: unbounded':
      !searches || (/^project = "\w+" AND labels = "[\w-]+"/.test(jql) && maxResults >= 1 && Array.isArray(call.body.fields)),
    'body: not a document': !comments || isDocument(body),
    'project: required': !creates || (isText(fields?.project?.key, 100) && isText(fields?.issuetype?.name, 100)),
    'summary: must be one line of at most 255 characters':
      !creates || (isText(fields?.summary, 255) && !/[\r\n]/.test(fields.summary)),
    'description: not a document': !creates || isDocument(fields?.description),
    'labels: must not contain spaces':
      !creates || every(fields?.labels ?? [], (label) => isText(label, 255) && !/\s/.test(label)),
  })
}

const servicenow: Rules = (call) => {
  const fail = (status: number, message: string, detail: string) => ({
    status,
    body: { error: { message, detail }, status: 'failure' },
  })
  if (!isBasic(call)) return fail(401, 'User Not Authenticated', 'Required to provide Auth information')
  const { body } = call
  const level = (value: Any) => value === undefined || ['1', '2', '3'].includes(value)
  const what = broken({
    'Requested URI does not represent any resource': /^\/api\/now\/table\/[a-z0-9_]+(\/\w+)?(\?[^#]*)?$/.test(call.path),
    'media type': call.headers.accept === 'application/json' && (call.method === 'GET' || isJson(call)),
    short_description: call.method !== 'POST' || (isText(body?.short_description, 160) && !/[\r\n]/.test(body.short_description)),
    description: body?.description === undefined || isText(body.description, 4_000),
    correlation_id: body?.correlation_id === undefined || isText(body.correlation_id, 100),
    work_notes: body?.work_notes === undefined || (isText(body.work_notes, 4_000) && !/\[\/?code\]/i.test(body.work_notes)),
    'a choice': level(body?.urgency) && level(body?.impact),
  })
  return what === undefined ? undefined : fail(400, 'Invalid request', what)
}

/** How a vendor refuses a call that its public documentation does not allow; undefined when it takes it. The sources stand with each channel. */
export const RULES: Partial<Record<ChannelType, Rules>> = {
  sms: twilio,
  chat_a: slack,
  chat_b: teams,
  messenger_a: telegram,
  incident_a: pagerduty,
  incident_b: opsgenie,
  ticketing_a: jira,
  ticketing_b: servicenow,
}
