import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import { SEVERITIES } from '../../../db/enums.ts'
import { Id, Instant } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

const fields = {
  message: z.string().describe('One sentence for people.'),
  severity: z.enum(SEVERITIES).describe('How severe the alert is.'),
  metric_name: z.string().describe('The metric that the rule watches.'),
  trigger_value: z.number().describe('The value that raised the alert.'),
  threshold_value: z.number().describe('The threshold of the rule.'),
}
const values = { message: 'Oil temperature is 92.4 celsius', severity: 'critical', metric_name: 'oil_temperature' } as const

const AlertNotice = z
  .object({
    type: z.literal('alert').describe('An alert was raised.'),
    ...fields,
    machine_id: Id.describe('The machine.'),
    machine_name: z.string().describe('Its name.'),
    machine_identifier: z.string().describe('Its identifier.'),
    alert_id: Id.describe('The alert, as `GET /alerts/{alert_id}` shows it.'),
    unit: z.string().describe('The unit of both values.'),
    triggered_at: Instant.describe('The timestamp of the reading that raised the alert.'),
    created_at: Instant.describe('When the hub created the alert.'),
  })
  .openapi('WebhookAlert', {
    example: {
      ...values,
      trigger_value: 92.4,
      threshold_value: 90,
      machine_name: 'Press 1',
      machine_identifier: 'press-01',
      unit: 'celsius',
    },
  })
const TestNotice = z
  .object({ type: z.literal('test').describe('Somebody tested the channel.'), ...fields })
  .openapi('WebhookTest', { example: { ...values, trigger_value: 92.4, threshold_value: 90 } })

const header = (description: string) => ({ description, schema: { type: 'string' as const } })

/** The request that a channel of type `webhook` sends, for the API document. */
export const ALERT_WEBHOOK: RouteConfig = {
  method: 'post',
  path: 'alert',
  operationId: 'receiveAlert',
  tags: ['Notifications'],
  summary: 'What a channel of type `webhook` receives',
  description:
    'The hub sends this to the `url` of the channel, with its `headers`. It repeats a delivery until the receiver answers 2xx; repeats have the same `webhook-id`.',
  security: [],
  parameters: [
    { name: 'webhook-id', in: 'header', required: true, ...header('Identifies the delivery; a repeat has the same.') },
    { name: 'webhook-timestamp', in: 'header', required: true, ...header('When it was sent, as a Unix time in seconds.') },
    {
      name: 'webhook-signature',
      in: 'header',
      required: false,
      ...header('With a `signing_secret`: `v1,` and the base64 of an HMAC-SHA256, as Standard Webhooks describe it.'),
    },
  ],
  request: {
    body: {
      required: true,
      content: { 'application/json': { schema: z.discriminatedUnion('type', [AlertNotice, TestNotice]) } },
    },
  },
  responses: { '2XX': { description: 'The receiver has the alert.' }, '4XX': { description: 'The receiver refuses it.' } },
}
