import { AgentId, Enrolment, EnrolmentOffer, IssuedCredential } from '@haltless/protocol'
import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { named, z } from '../../../support/http/z.ts'

/** Hours until an enrolment key expires. */
export const EXPIRY_HOURS = { min: 1, max: 720, default: 24 }

export const EnrolmentKeyBody = z
  .object({
    name: text(200).describe('What the key is for, such as the place of the box.'),
    agent_id: AgentId.nullish().describe('The only agent that the key enrols; null or absent: any agent that is not enrolled.'),
    group_id: Id.nullish().describe('The site or other machine group of the agent; null or absent: none, or that which it had.'),
    expires_in_hours: z
      .int('must be a whole number of hours')
      .min(EXPIRY_HOURS.min, 'must be at least 1')
      .max(EXPIRY_HOURS.max, 'must be at most 720, which is 30 days')
      .default(EXPIRY_HOURS.default)
      .describe('Hours until the key expires, at most 720.'),
  })
  .openapi('EnrolmentKeyCreate', { example: { name: 'box in hall 3', agent_id: null, group_id: null, expires_in_hours: 24 } })

const base = {
  id: Id.describe('Identifies the key: the `enrolment_key_id` of paths.'),
  name: z.string().describe('What the key is for.'),
  agent_id: AgentId.nullable().describe('The only agent that the key enrols; null: any agent that is not enrolled.'),
  group_id: Id.nullable().describe('The machine group that the agent gets when it is enrolled; null: none.'),
  expires_at: Instant.describe('When the key expires.'),
  created_at: Instant.describe('When the key was created.'),
}
export const CreatedEnrolmentKey = z
  .object({ ...base, key: z.string().describe('The full secret. It is shown this once; the hub stores only a hash of it.') })
  .openapi('CreatedEnrolmentKey', {
    example: {
      name: 'box in hall 3',
      agent_id: null,
      group_id: null,
      key: 'he_1a2b3c4d_Zk9wQ2xvdWRIdWItZXhhbXBsZS1ub3QtYS1rZXk',
    },
  })
export const EnrolmentKeyEntry = z
  .object({
    ...base,
    key_prefix: z.string().describe('The public beginning of the key; the secret rest is `***`.'),
    status: z
      .enum(['unused', 'used', 'expired'])
      .describe('`used`: an agent uses the credential that it got for the key. Only an `unused` key enrols.'),
    used_at: Instant.nullable().describe('When the credential was first used; null before.'),
    used_by_agent: z.string().nullable().describe('The agent that the key enrolled; null before.'),
    created_by: Id.describe('The user who created the key.'),
  })
  .openapi('EnrolmentKey', {
    example: {
      name: 'box in hall 3',
      agent_id: null,
      group_id: null,
      key_prefix: 'he_1a2b3c4d_***',
      status: 'unused',
      used_at: null,
      used_by_agent: null,
    },
  })
export const EnrolmentKeyParams = z.object({
  enrolment_key_id: pathId('enrolment key').describe('The enrolment key, from `GET /enrolment-keys`.'),
})
export const EnrolmentBody = named(Enrolment, 'Enrolment', {
  agent_id: 'line-4',
  agent_version: '0.1.0',
  platform: 'linux arm64',
  hostname: 'box-4',
})
export const CredentialBody = named(IssuedCredential, 'IssuedCredential', {
  agent_id: 'line-4',
  credential: 'hk_1a2b3c4d_Zk9wQ2xvdWRIdWItZXhhbXBsZS1ub3QtYS1rZXk',
  created_at: '2026-01-31T12:00:00.000Z',
})
export const OfferBody = named(EnrolmentOffer, 'EnrolmentOffer', {
  agent_id: null,
  expires_at: '2026-02-01T12:00:00.000Z',
  mqtt_url: 'mqtts://hub.example.com:8883',
  time: '2026-01-31T12:00:00.000Z',
})
