import { invalid } from '../../../../support/http/validation-message.ts'
import { z } from '../../../../support/http/z.ts'
import type { Channel, Notice } from '../channel.ts'
import { joinTexts, jsonBody, outcomeOf } from '../http-outcome.ts'
import { plainText, truncateLine } from '../notice-text.ts'
import { Address, checkAddresses, joinUrl, originOf } from '../vendor-address.ts'

const VENDOR = { us: 'https://api.opsgenie.com', eu: 'https://api.eu.opsgenie.com' } as const
const Config = z.strictObject({
  api_key: z.string().regex(/^[\x21-\x7e]{1,200}$/, invalid('invalid_credential', {}, 'must be an API key')),
  region: z.enum(['us', 'eu'], 'must be us or eu').default('us'),
  base_url: Address.optional(),
})
type Config = z.output<typeof Config>

const PRIORITIES = { critical: 'P1', warning: 'P3', info: 'P5' } as const
const SOURCE = 'Haltless'

/** Messages and descriptions may contain HTML, and no escape is documented. */
const plain = (text: string) => text.replaceAll('<', '‹').replaceAll('>', '›')

/** The path below /v2/alerts and the body. The alert's id is the alias that matches later requests and repeats. */
function request(notice: Notice, publicUrl: string): [path: string, body: Record<string, unknown>] {
  const { alert, machine, event } = notice
  const alias = alert?.id ?? notice.deliveryId
  if (event === 'acknowledged')
    return [`/${alias}/acknowledge?identifierType=alias`, { source: SOURCE, note: 'Acknowledged in Haltless.' }]
  if (event === 'cleared') return [`/${alias}/close?identifierType=alias`, { source: SOURCE, note: 'The condition has ended.' }]
  return [
    '',
    {
      message: plain(truncateLine(notice.message, 130)),
      alias,
      description: plain(plainText(notice, publicUrl)),
      source: SOURCE,
      priority: PRIORITIES[notice.severity],
      tags: ['haltless', notice.severity],
      ...(machine && { entity: plain(truncateLine(machine.identifier, 512)) }),
      details: {
        metric: plain(truncateLine(notice.metricName, 255)),
        value: String(notice.triggerValue),
        threshold: String(notice.thresholdValue),
        ...(alert && { unit: plain(truncateLine(alert.unit, 255)) }),
        ...(machine && { machine: plain(truncateLine(machine.name, 255)) }),
        ...(machine?.location && { location: plain(truncateLine(machine.location, 500)) }),
      },
    },
  ]
}

/**
 * Opsgenie, Alert API; acknowledging and clearing follow.
 * Source: docs.opsgenie.com, "Alert API" (`GenieKey`, 202), "Alerts and Alert Fields" (message 130, alias 512, entity 512, description 15,000,
 * details 8,000 characters in all, tags of 50; HTML in messages), "API rate limiting" (429). A repeat finds its alert by `alias`.
 * Opsgenie ends in April 2027; its successor takes the same calls at `base_url` https://api.atlassian.com/jsm/ops/integration (developer.atlassian.com,
 * "Integration Events API" of Jira Service Management)
 */
export const incidentB: Channel<Config> = {
  product: 'Opsgenie',
  audience: 'incident',
  followsAlert: true,
  subjectKind: 'alert',
  config: Config,
  secrets: ['api_key'],
  target: (config) => originOf(config.base_url ?? VENDOR[config.region]),
  check: ({ base_url }, http) => checkAddresses(http, {}, { base_url }),
  deliver: async (notice, config, { http, publicUrl }) => {
    const [path, body] = request(notice, publicUrl)
    const answer = await http.request(joinUrl(config.base_url ?? VENDOR[config.region], `/v2/alerts${path}`), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `GenieKey ${config.api_key}` },
      body: JSON.stringify(body),
    })
    return outcomeOf(answer, (given) => joinTexts(jsonBody(given).message))
  },
}
