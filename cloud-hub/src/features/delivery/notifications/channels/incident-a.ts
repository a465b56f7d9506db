import { invalid } from '../../../../support/http/validation-message.ts'
import { z } from '../../../../support/http/z.ts'
import type { Answer } from '../../../../support/net/guarded-request.ts'
import type { Channel, Notice } from '../channel.ts'
import { joinTexts, jsonBody, outcomeOf, refusalOutcome } from '../http-outcome.ts'
import { alertLink, truncateLine } from '../notice-text.ts'
import { Address, checkAddresses, joinUrl, originOf } from '../vendor-address.ts'

const VENDOR = 'https://events.pagerduty.com'
const Config = z.strictObject({
  routing_key: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,100}$/, invalid('invalid_credential', {}, 'must be the integration key of a service')),
  base_url: Address.optional(),
})
type Config = z.output<typeof Config>

const ACTIONS = { raised: 'trigger', acknowledged: 'acknowledge', cleared: 'resolve' } as const

/** One incident per alert: the alert's id is what later events, and repeats, are matched by. */
function event(notice: Notice, publicUrl: string) {
  const { alert, machine } = notice
  const base = { event_action: ACTIONS[notice.event], dedup_key: alert?.id ?? notice.deliveryId }
  if (notice.event !== 'raised') return base
  const link = alertLink(notice, publicUrl)
  return {
    ...base,
    client: 'Haltless',
    client_url: link ?? publicUrl,
    payload: {
      summary: truncateLine(notice.message, 1_024),
      source: truncateLine(machine?.identifier ?? '', 255) || 'haltless',
      severity: notice.severity,
      ...(alert && { timestamp: alert.triggeredAt.toISOString() }),
      ...(machine && { component: truncateLine(machine.name, 255) }),
      ...(machine?.location && { group: truncateLine(machine.location, 500) }),
      class: truncateLine(notice.metricName, 255),
      custom_details: {
        metric: truncateLine(notice.metricName, 255),
        value: notice.triggerValue,
        threshold: notice.thresholdValue,
        ...(alert && { unit: truncateLine(alert.unit, 255) }),
      },
    },
    ...(link ? { links: [{ href: link, text: 'Open in Haltless' }] } : {}),
  }
}

/**
 * PagerDuty, Events API v2; acknowledging and clearing follow.
 * Source: developer.pagerduty.com, "Send an alert event" and "PD-CEF" (required fields, summary of 1,024 and `dedup_key` of 255 characters),
 * "Events API v2 overview" (202; 400 names `errors`; 429 and 5xx are tried again; 512 KB). A repeat finds its incident by `dedup_key`
 */
export const incidentA: Channel<Config> = {
  product: 'PagerDuty',
  audience: 'incident',
  followsAlert: true,
  subjectKind: 'alert',
  config: Config,
  secrets: ['routing_key'],
  target: (config) => originOf(config.base_url ?? VENDOR),
  check: ({ base_url }, http) => checkAddresses(http, {}, { base_url }),
  deliver: async (notice, config, { http, publicUrl }) => {
    const answer = await http.request(joinUrl(config.base_url ?? VENDOR, '/v2/enqueue'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ routing_key: config.routing_key, ...event(notice, publicUrl) }),
    })
    const reason = (given: Answer) => {
      const { message, errors } = jsonBody(given)
      return joinTexts(message, errors)
    }
    const isInvalid = answer.ok && answer.status < 300 && jsonBody(answer).status === 'invalid event'
    return isInvalid ? refusalOutcome(400, reason(answer)) : outcomeOf(answer, reason)
  },
}
