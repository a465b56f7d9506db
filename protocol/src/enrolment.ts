import { z } from 'zod'
import { AgentId } from './heartbeat.ts'

/** Body of `POST /api/v1/agent/enroll`. */
export const Enrolment = z.object({
  agent_id: AgentId.describe('The id that the agent will have, unique in the tenant: 1 to 64 of A-Z a-z 0-9 _ -.'),
  agent_version: z.string().min(1).max(64).describe('The version of the agent.'),
  platform: z.string().max(255).optional().describe('What the agent runs on, such as `linux arm64`; for the audit trail.'),
  hostname: z.string().max(255).optional().describe('The host that the agent runs on; for the audit trail.'),
})
export type Enrolment = z.infer<typeof Enrolment>

/** Answer of `POST /api/v1/agent/enroll` and of `POST /api/v1/agent/credential`. */
export const IssuedCredential = z.object({
  agent_id: AgentId.describe('The only agent that the credential is valid for.'),
  credential: z
    .string()
    .describe('Sent as `X-API-Key`. It is shown this once. Its first use revokes the credential that the agent had before.'),
  created_at: z.iso.datetime().describe('When it was issued.'),
})
export type IssuedCredential = z.infer<typeof IssuedCredential>

/** Answer of `GET /api/v1/agent/enroll`: what an agent needs to test its transports before it uses the enrolment key. */
export const EnrolmentOffer = z.object({
  agent_id: AgentId.nullable().describe('The only agent_id that the key enrols; null when it enrols any.'),
  expires_at: z.iso.datetime().describe('When the key expires.'),
  mqtt_url: z.string().describe('The address of the broker.'),
  time: z.iso.datetime().describe('The time of the hub, to compare clocks.'),
})
export type EnrolmentOffer = z.infer<typeof EnrolmentOffer>
