import { IngestReading, IngestResult, READING_LIMITS } from '@haltless/protocol'
import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { named, z } from '../../../support/http/z.ts'
import { requireNamedAgent } from '../../people/accounts/index.ts'
import type { Ingest } from './accept.ts'
import { submissionFromJson } from './json-submission.ts'

const route = routeFor<TenantScope>()
/** 1,000 readings of maximum length, JSON-escaped, and some room. */
const MAX_BODY = 8 * 1_048_576

/** Validates only that there is an array of a permitted length. Items are validated one by one for the 207. */
const IngestBody = z
  .object({
    readings: z
      .array(z.unknown(), 'must be an array of readings')
      .max(READING_LIMITS.readingsPerRequest, 'may hold at most 1,000 readings')
      .openapi({
        type: 'array',
        items: z.toJSONSchema(IngestReading, { io: 'input', unrepresentable: 'any' }) as never,
        maxItems: READING_LIMITS.readingsPerRequest,
        description: 'At most 1,000 readings, in any order. An empty array is valid.',
      }),
    agent_id: z.string().max(64).optional().describe('The agent that sends; required with the credential of an agent.'),
  })
  .openapi({
    example: {
      readings: [
        {
          machine_identifier: 'press-01',
          timestamp: '2026-01-31T12:00:00.000Z',
          metric_name: 'oil_temperature',
          value: 61.5,
          unit: 'celsius',
          raw_tag: 'nsu=urn:acme:press;s=Press.OilTemp',
        },
      ],
    },
  })

export const ingestRoutes = (ingest: Ingest) => [
  route(
    {
      method: 'post',
      path: '/ingest',
      operation: 'ingestReadings',
      access: 'key',
      bucket: 'ingest',
      tag: 'Sensor data',
      summary: 'Send up to 1,000 readings',
      description:
        'The response is 207 if the array could be parsed. Accepted readings are on disk, with their alerts and deliveries. Rejected ones are listed by `index` and do not affect the others. A reading that was sent before (same machine, metric, unit and timestamp, or the same `idempotency_key`) counts as accepted and is stored once. Timestamps are truncated to milliseconds.',
      body: IngestBody,
      checksOwnText: true,
      maxBodyBytes: MAX_BODY,
      returns: named(IngestResult, 'IngestResult', { accepted_count: 1, rejected_count: 0, errors: [] }),
      status: 207,
      refuses: { 403: ['credential_of_other_agent'], 503: ['tenant_busy', 'ingest_busy'] },
    },
    async ({ scope, body }) => {
      requireNamedAgent(scope, body.agent_id)
      return ingest.acceptReadings(scope.tenantId, submissionFromJson(scope.tenantId, body.readings, scope.clock.now().getTime()))
    },
  ),
]
