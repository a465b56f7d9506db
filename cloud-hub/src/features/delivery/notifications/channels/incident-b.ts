import { z } from '../../../../support/http/z.ts'
import type { Channel, Notice } from '../channel.ts'
import { jsonOf, outcomeOf, said } from '../http-outcome.ts'
import { clip, plainText } from '../notice-text.ts'
import { Address, checkAddresses, originOf, under } from '../vendor-address.ts'

const VENDOR = { us: 'https://api.opsgenie.com', eu: 'https://api.eu.opsgenie.com' } as const
const Config = z.strictObject({
  api_key: z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be an API key'),
  region: z.enum(['us', 'eu'], 'must be us or eu').default('us'),
  base_url: Address.optional(),
})
type Config = z.output<typeof Config>

const PRIORITIES = { critical: 'P1', warning: 'P3', info: 'P5' } as const
const SOURCE = 'Haltless'

/** Messages and descriptions may hold HTML there, and no way to escape it is documented. */
const plain = (text: string) => text.replaceAll('<', '‹').replaceAll('>', '›')

/** Where it goes below /v2/alerts, and with what: the alert's id is the alias by which later requests, and repeats, are matched. */
function request(notice: Notice, publicUrl: string): [path: string, body: Record<string, unknown>] {
  const { alert, machine, event } = notice
  const alias = alert?.id ?? notice.deliveryId
  if (event === 'acknowledged')
    return [`/${alias}/acknowledge?identifierType=alias`, { source: SOURCE, note: 'Acknowledged in Haltless.' }]
  if (event === 'cleared') return [`/${alias}/close?identifierType=alias`, { source: SOURCE, note: 'The condition has ended.' }]
  return [
    '',
    {
      message: plain(clip(notice.message, 130)),
      alias,
      description: plain(plainText(notice, publicUrl)),
      source: SOURCE,
      priority: PRIORITIES[notice.severity],
      tags: ['haltless', notice.severity],
      ...(machine && { entity: plain(clip(machine.identifier, 512)) }),
      details: {
        metric: plain(clip(notice.metricName, 255)),
        value: String(notice.triggerValue),
        threshold: String(notice.thresholdValue),
        ...(alert && { unit: plain(clip(alert.unit, 255)) }),
        ...(machine && { machine: plain(clip(machine.name, 255)) }),
        ...(machine?.location && { location: plain(clip(machine.location, 500)) }),
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
    const answer = await http.request(under(config.base_url ?? VENDOR[config.region], `/v2/alerts${path}`), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `GenieKey ${config.api_key}` },
      body: JSON.stringify(body),
    })
    return outcomeOf(answer, (given) => said(jsonOf(given).message))
  },
}
