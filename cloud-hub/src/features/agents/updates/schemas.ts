import { AgentId, AgentPlatform, ReleaseVersion } from '@haltless/protocol'
import { Id, Instant, Paging, pageOf, pathId } from '../../../support/http/shapes.ts'
import { customIssue } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import { FaultBody } from '../../plant/faults/index.ts'

const version = ReleaseVersion.describe('The version of the agent.').openapi({ example: '0.2.0' })

export const AgentRelease = z
  .object({
    version,
    sequence: z.int().describe('Grows with each release; an agent takes none that is not above that of its own.'),
    min_source_version: z.string().describe('The oldest version that can update to it.'),
    issued_at: Instant.describe('When it was signed.'),
    expires_at: Instant.describe('Agents install it until then.'),
    is_expired: z.boolean().describe('Whether that is over.'),
    platforms: z
      .array(
        z.object({
          platform: z.string().describe('What the archive runs on.'),
          size: z.int().describe('Bytes of the archive.'),
          sha256: z.string().describe('SHA-256 of the archive, 64 hex digits.'),
        }),
      )
      .describe('Its archives.'),
    added_at: Instant.describe('When the operator of the hub added it.'),
  })
  .openapi('AgentRelease', {
    example: {
      version: '0.2.0',
      sequence: 1_795_000_000,
      min_source_version: '0.1.0',
      is_expired: false,
      platforms: [
        { platform: 'linux-amd64', size: 36_071_014, sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
      ],
    },
  })
export const ReleaseList = z.array(AgentRelease)

export const ReleaseFileParams = z.object({
  version: ReleaseVersion.describe('The version, from the order in a heartbeat answer.').openapi({ example: '0.2.0' }),
  platform: AgentPlatform.describe('The platform of the agent.').openapi({ example: 'linux-amd64' }),
})
export const ReleaseFileQuery = z.object({
  agent_id: AgentId.describe('The agent that downloads.').openapi({ example: 'line-4' }),
})

const size = z.int().min(1).max(10_000)
export const RolloutBody = z
  .object({
    version,
    agent_ids: z
      .array(AgentId)
      .min(1, 'must name an agent')
      .max(10_000)
      .optional()
      .describe('The agents, in the order of the waves; or `all_agents`.'),
    all_agents: z.boolean().default(false).describe('Whether all agents that are not retired take part, those seen last first.'),
    wave_sizes: z
      .array(size)
      .min(1)
      .max(20)
      .default([1, 10])
      .describe('How many agents the first waves have; the last wave has what remains. Agents that are skipped do not count.'),
    stop_after_failures: size.default(1).describe('The rollout stops when so many agents failed.'),
    spread_seconds: z.int().min(0).max(86_400).default(300).describe('Over how long the downloads of a wave begin.'),
  })
  .superRefine(({ agent_ids, all_agents }, context) => {
    if ((agent_ids === undefined) === !all_agents)
      context.addIssue(
        customIssue(
          ['agent_ids'],
          'one_of_two',
          { one: 'agent_ids', other: 'all_agents' },
          'name agents, or set all_agents to true, and not both',
        ),
      )
  })
  .openapi('AgentRolloutBody', { example: { version: '0.2.0', agent_ids: ['line-4'], wave_sizes: [1, 10] } })

const ROLLOUT_STATES = ['running', 'paused', 'stopped', 'completed', 'cancelled'] as const
const AGENT_STATES = [
  'pending',
  'announced',
  'waiting',
  'downloading',
  'verified',
  'switched',
  'confirmed',
  'rolled_back',
  'refused',
  'failed',
  'skipped',
  'cancelled',
] as const

const rollout = {
  id: Id.describe('Identifies the rollout.'),
  version,
  state: z
    .enum(ROLLOUT_STATES)
    .describe(
      '`stopped`: too many agents failed; an admin resumes or cancels it. What is being installed goes on in every state.',
    ),
  reason: z.string().nullable().describe('The failure that stopped it; null when nothing did.'),
  fault: FaultBody.nullable().describe('The same as a fault.'),
  wave: z.int().describe('The wave that is under way, or the last one; from 1.'),
  waves: z.int().describe('How many waves there are.'),
  wave_sizes: z.array(z.int()).describe('As it was started.'),
  stop_after_failures: z.int().describe('As it was started.'),
  spread_seconds: z.int().describe('As it was started.'),
  failures: z.int().describe('Agents that failed since it began, or was resumed.'),
  counts: z.record(z.string(), z.int()).describe('Agents by state; states without agents are absent.'),
  created_by: z.string().describe('Who started it.'),
  created_at: Instant.describe('When.'),
  ended_at: Instant.nullable().describe('When it was completed or cancelled; null before.'),
}
const example = {
  version: '0.2.0',
  state: 'running' as const,
  reason: null,
  fault: null,
  wave: 1,
  waves: 2,
  wave_sizes: [1, 10],
  stop_after_failures: 1,
  spread_seconds: 300,
  failures: 0,
  counts: { downloading: 1, pending: 1 },
  created_by: 'ada@example.com',
  ended_at: null,
}
export const Rollout = z.object(rollout).openapi('AgentRollout', { example })
export const RolloutPage = pageOf(Rollout).openapi('AgentRolloutPage')
export const RolloutQuery = z.object(Paging)
export const RolloutParams = z.object({
  rollout_id: pathId('agent rollout').describe('The rollout, from `GET /agent/rollouts`.'),
})
export const RolloutDetail = z
  .object({
    ...rollout,
    agents: z
      .array(
        z.object({
          agent_id: z.string().describe('The agent.'),
          wave: z.int().describe('Its wave, from 1; 0 when it was skipped.'),
          state: z
            .enum(AGENT_STATES)
            .describe(
              '`pending`: its wave has not begun. `announced`: it is told at its next heartbeat. `waiting`: for its turn or its window. `verified`: downloaded. `switched`: the new version is on trial. `failed`: nothing was heard of it for an hour in the middle of the update, or its updater did not get on for six. `skipped`: it cannot take this version.',
            ),
          since: Instant.describe('Since when it is in this state.'),
          reason: z.string().nullable().describe('Why, or what it waits for; null when there is nothing to say.'),
          fault: FaultBody.nullable().describe('The same as a fault; null from older agents.'),
          from_version: z.string().describe('Its version when the rollout began.'),
          received_bytes: z.int().nullable().describe('How much of the archive it has; null before it downloads.'),
        }),
      )
      .describe('All its agents, by wave.'),
  })
  .openapi('AgentRolloutDetail', {
    example: {
      ...example,
      agents: [
        {
          agent_id: 'line-4',
          wave: 1,
          state: 'downloading',
          since: '2026-01-31T12:00:00.000Z',
          reason: null,
          fault: null,
          from_version: '0.1.0',
          received_bytes: 1_048_576,
        },
      ],
    },
  })
