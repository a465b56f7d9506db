import { z } from 'zod'
import { OptionalFault } from './faults/fault-shape.ts'
import { SentInstant } from './instant.ts'
import { AgentPlatform, ReleaseVersion, SignedRelease } from './release.ts'

/** What an agent tells of its update, in the order in which it happens. */
export const UPDATE_STATES = ['waiting', 'downloading', 'verified', 'switched', 'confirmed', 'rolled_back', 'refused'] as const
export type UpdateState = (typeof UPDATE_STATES)[number]

/** An update that the hub asks an agent for, in the answer to its heartbeat. */
export const UpdateOrder = z.object({
  rollout_id: z.guid().describe('The rollout; the agent names it in its reports.'),
  version: ReleaseVersion.describe('The version to install.'),
  release: SignedRelease.describe('Its signed manifest.'),
  path: z
    .string()
    .max(300)
    .regex(/^\/api\/v1\/[A-Za-z0-9/._?=&-]+$/)
    .describe('Where the archive is downloaded, on this hub; takes `Range`.'),
  delay_seconds: z
    .int()
    .min(0)
    .max(86_400)
    .describe('How long to wait before the download, so that agents do not download at once.'),
})
export type UpdateOrder = z.infer<typeof UpdateOrder>

/** In telemetry: what this agent can do, and how far its newest update is. */
export const UpdateReport = z.object({
  platform: AgentPlatform.optional().describe(
    'What it runs on, such as `linux-amd64`; absent when it was not installed from a package.',
  ),
  accepts: z.boolean().describe('Whether it installs updates.'),
  why_not: z.string().max(200).optional().describe('Why it installs none, such as `updates.enabled is off in agent.yaml`.'),
  why_not_fault: OptionalFault.describe('The same as a fault.'),
  window: z
    .string()
    .max(50)
    .optional()
    .describe('When it installs them, in its local time, such as `22:00-05:00`; absent: at any time.'),
  rollout_id: z.guid().optional().describe('The rollout that the state is about.'),
  version: ReleaseVersion.optional().describe('The version of that rollout.'),
  state: z.enum(UPDATE_STATES).optional().describe('How far it is.'),
  at: SentInstant.optional().describe('Since when.'),
  reason: z.string().max(500).optional().describe('Why it was rolled back or refused, or what it waits for.'),
  fault: OptionalFault.describe('The same as a fault.'),
  received_bytes: z.int().min(0).optional().describe('How much of the archive it has.'),
})
export type UpdateReport = z.infer<typeof UpdateReport>
