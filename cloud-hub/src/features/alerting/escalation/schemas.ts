import { SEVERITIES } from '../../../db/enums.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

export const PolicyParams = z.object({ policy_id: pathId('policy').describe('The policy, from `GET /escalation-policies`.') })
const texts = {
  name: 'The name that people see.',
  severity: 'Which alerts it escalates.',
  wait: 'Minutes after the alert was raised, 1 to 1,440.',
  channel: 'The notification channel that gets the alert.',
}
const example = { name: 'Wake the standby', severity: 'critical', wait_minutes: 15 }
export const PolicyBody = z
  .object({
    id: Id.describe('Identifies the policy: the `policy_id` of paths and of other responses.'),
    tenant_id: Id.describe('The tenant that it belongs to.'),
    name: z.string().describe(texts.name),
    severity: z.enum(SEVERITIES).describe(texts.severity),
    wait_minutes: z.int().describe(texts.wait),
    channel_id: Id.describe(texts.channel),
    channel_is_active: z
      .boolean()
      .describe('Whether that channel is active. An inactive one gets what escalates only after it is activated.'),
    is_active: z.boolean().describe('Whether it escalates.'),
    created_at: Instant.describe('When it was created.'),
    updated_at: Instant.describe('When it was last changed.'),
    version: RecordVersion,
  })
  .openapi('EscalationPolicy', { example })

const fields = {
  name: text(200).describe(texts.name),
  severity: z.enum(SEVERITIES).describe(texts.severity),
  wait_minutes: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1_440, 'must be at most 1440')
    .describe(texts.wait),
  channel_id: Id.describe(texts.channel),
}
export const PolicyCreate = z
  .object({ ...fields, is_active: z.boolean().default(true).describe('Whether it escalates. Default: true.') })
  .openapi('EscalationPolicyCreate', { example })
export const PolicyPut = z
  .object({ ...fields, is_active: z.boolean().describe('Whether it escalates.') })
  .partial()
  .openapi('EscalationPolicyPut', { example: { wait_minutes: 30 } })
