import { SOURCE_PROTOCOLS } from '@haltless/protocol'
import { Id, Instant, pathId, text } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'

export const SourceParams = z.object({ source_id: pathId('ingest source') })

const Config = z.record(z.string().max(100), z.unknown()).openapi({
  type: 'object',
  description:
    '`agent_id`: the edge agent that polls it inside the plant; without it the hub does. `opcua`: `endpoint_path`, `security_mode`, `security_policy`, `username`, `password`, `server_thumbprint`, `mode`, `nodes`. `modbus`: `unit_id`, `timeout_ms`, `max_gap`, `registers`. Secrets are answered as `***`.',
})

const fields = {
  machine_id: Id,
  name: text(200),
  protocol: z.enum(SOURCE_PROTOCOLS),
  host: text(255),
  port: z.int().min(1).max(65_535),
}
const Interval = z.int().min(5).max(3_600)

export const SourceCreate = z
  .object({
    ...fields,
    poll_interval_seconds: Interval.default(30),
    is_active: z.boolean().default(true),
    config: Config.default({}),
  })
  .openapi('IngestSourceCreate')

export const SourcePut = z
  .object({ ...fields, poll_interval_seconds: Interval, is_active: z.boolean(), config: Config })
  .partial()
  .openapi('IngestSourcePut')

export const SourceBody = z
  .object({
    id: Id,
    tenant_id: Id,
    ...fields,
    name: z.string(),
    host: z.string(),
    poll_interval_seconds: z.int(),
    is_active: z.boolean(),
    config: Config,
    last_polled_at: Instant.nullable().openapi({ description: 'when the device last answered a poll' }),
    last_error: z.string().nullable().openapi({ description: 'what is wrong now; null when nothing is' }),
    created_at: Instant,
    updated_at: Instant,
  })
  .openapi('IngestSource')

export const ConnectionTest = z.object({ success: z.boolean(), message: z.string() }).openapi('ConnectionTest')
