import { ERP_PROVIDERS } from '../../../db/enums.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { configVariants } from '../../../support/http/variants.ts'
import { z } from '../../../support/http/z.ts'
import { FaultBody } from '../../plant/faults/index.ts'
import { configKeys, configOf } from '../providers/index.ts'

export const MAX_CONNECTIONS = 20
const MAX_MAPPED_FIELDS = 200

export const ConnectionParams = z.object({
  connection_id: pathId('erp connection').describe('The connection, from `GET /erp/connections`.'),
})

/** A configuration of each provider, for the API document. */
export const CONFIG_EXAMPLES = [
  '`erp_a`: `{"base_url": "https://sap.example.com/sap/opu/odata/sap/ZHALTLESS_SRV", "client": "100", "username": "HALTLESS", "password": "..."}`',
  '`erp_b`: `{"base_url": "https://contoso.crm4.dynamics.com", "tenant_id": "0f5a2c9e-...", "client_id": "7c1d...", "client_secret": "..."}`',
  '`erp_c`: `{"base_url": "https://erp.example.com/api", "username": "haltless", "password": "..."}`',
]

const texts = {
  name: 'The name that people see, 1 to 200 characters.',
  provider: '`erp_a`: SAP (OData v2), `erp_b`: Microsoft Dynamics 365 (OData v4), `erp_c`: any ERP with a REST/JSON interface.',
  isActive: 'Whether anything is synchronized. Tests and previews also work while it is inactive.',
  workOrders: 'Whether work orders are sent automatically.',
  production: 'Whether production data is sent automatically: an entry for each completed shift log.',
  downtime: 'Whether downtime records are sent automatically.',
  assets: 'Whether machines are created and updated automatically from the assets of the ERP.',
  interval: 'Minutes between two automatic runs, 1 to 1440.',
  mapping:
    'Haltless field -> field of the ERP, for those that differ from the defaults of the provider. A key is a field of any entity (`title`) or of one (`work_order.title`, `work_order.instructions.text`). An empty value leaves the field out.',
}
const Config = z.record(z.string().max(100), z.unknown()).openapi({
  type: 'object',
  additionalProperties: true,
  description: `Keys by provider; secrets are answered as \`***\`. ${configKeys().join(' · ')}`,
})
const variants = configVariants(
  {
    property: 'provider',
    texts: {
      base_url: 'The HTTPS address of the interface, on a public host.',
      paths: 'Paths below `base_url` that differ from the defaults of the provider.',
      work_order: 'The path of work orders.',
      production_data: 'The path of production data.',
      downtime: 'The path of downtime records.',
      machine: 'The path of assets.',
      ca_certificate: 'Certificates of a private authority, in PEM.',
      client: 'The SAP client, three digits.',
      username: 'The user who signs in.',
      password: 'The password of the user.',
      tenant_id: 'The id or a domain of the Microsoft Entra tenant.',
      client_id: 'The id of the registered application.',
      client_secret: 'The secret of the registered application.',
      token_url: 'Where tokens are issued, if elsewhere than at Microsoft.',
    },
  },
  Object.fromEntries(ERP_PROVIDERS.map((provider) => [provider, configOf(provider)])),
)
const FieldMapping = z
  .record(z.string().max(200, 'must have at most 200 characters'), z.string().max(128, 'must have at most 128 characters'))
  .refine((mapping) => Object.keys(mapping).length <= MAX_MAPPED_FIELDS, `must have at most ${MAX_MAPPED_FIELDS} entries`)
const Interval = z.int().min(1, 'must be at least 1').max(1_440, 'must be at most 1440')

const fields = {
  name: text(200).describe(texts.name),
  config: Config,
  is_active: z.boolean().describe(texts.isActive),
  auto_push_work_orders: z.boolean().describe(texts.workOrders),
  auto_push_production_data: z.boolean().describe(texts.production),
  auto_push_downtime: z.boolean().describe(texts.downtime),
  auto_pull_assets: z.boolean().describe(texts.assets),
  sync_interval_minutes: Interval.describe(texts.interval),
  field_mapping: FieldMapping.describe(texts.mapping),
}
const example = {
  provider: 'erp_c',
  name: 'ERP of plant 1',
  config: { base_url: 'https://erp.example.com/api', username: 'haltless', password: 'correct-horse-battery' },
  auto_push_work_orders: true,
  sync_interval_minutes: 15,
  field_mapping: { 'work_order.title': 'shortText' },
} as const
const masked = { ...example, config: { ...example.config, password: '***' } }

export const ConnectionCreate = z
  .object({
    ...fields,
    provider: z.enum(ERP_PROVIDERS).describe(`${texts.provider} It never changes.`),
    is_active: fields.is_active.default(true).describe(`${texts.isActive} Default: true.`),
    auto_push_work_orders: z.boolean().default(false).describe(`${texts.workOrders} Default: false.`),
    auto_push_production_data: z.boolean().default(false).describe(`${texts.production} Default: false.`),
    auto_push_downtime: z.boolean().default(false).describe(`${texts.downtime} Default: false.`),
    auto_pull_assets: z.boolean().default(false).describe(`${texts.assets} Default: false.`),
    sync_interval_minutes: Interval.default(60).describe(`${texts.interval} Default: 60.`),
    field_mapping: FieldMapping.default({}).describe(texts.mapping),
  })
  .openapi('ErpConnectionCreate', { example, ...variants })
export const ConnectionPatch = z
  .object({
    ...fields,
    provider: z.enum(ERP_PROVIDERS).describe('Accepted when it is that of the connection: it never changes.'),
  })
  .partial()
  .openapi('ErpConnectionPatch', { example: { sync_interval_minutes: 30, auto_push_downtime: true } })
export const ConnectionBody = z
  .object({
    id: Id.describe('Identifies the connection: the `connection_id` of paths, the `erp_connection_id` of logs.'),
    tenant_id: Id.describe('The tenant that it belongs to.'),
    provider: z.enum(ERP_PROVIDERS).describe(texts.provider),
    name: z.string().describe(texts.name),
    config: Config,
    is_active: fields.is_active,
    auto_push_work_orders: fields.auto_push_work_orders,
    auto_push_production_data: fields.auto_push_production_data,
    auto_push_downtime: fields.auto_push_downtime,
    auto_pull_assets: fields.auto_pull_assets,
    sync_interval_minutes: z.int().describe(texts.interval),
    field_mapping: z.record(z.string(), z.string()).describe(texts.mapping),
    last_sync_at: Instant.nullable().describe('When the last run ended; null: none has.'),
    last_sync_status: z
      .enum(['success', 'partial', 'failed'])
      .nullable()
      .describe('How it ended. `partial`: some records failed. Null: no run has ended.'),
    automatic_runs_paused: z
      .boolean()
      .describe(
        'True after the hub was restored from a backup, until its operator resumes automatic runs. A sync by hand works.',
      ),
    created_by: Id.describe('The admin who created it.'),
    created_at: Instant.describe('When it was created.'),
    updated_at: Instant.describe('When it was last changed.'),
    version: RecordVersion,
  })
  .openapi('ErpConnection', {
    example: { ...masked, last_sync_at: null, last_sync_status: null, automatic_runs_paused: false, is_active: true },
    ...variants,
  })

const EntityCheck = z
  .object({
    ok: z.boolean().describe('Whether the ERP lets the connection read it.'),
    message: z.string().describe('What was found.'),
    fault: FaultBody.nullable().describe('Why it does not, as a fault; null when it does.'),
  })
  .openapi('ErpEntityCheck', { example: { ok: true, message: 'Readable.', fault: null } })
export const ConnectionTest = z
  .object({
    success: z
      .boolean()
      .describe(
        'Whether the ERP was reached, accepted the credentials, and permits each entity that a toggle sends or fetches; without a toggle, at least one.',
      ),
    message: z.string().describe('What was found, and what to do about it.'),
    fault: FaultBody.describe('The same with a code, also when the test succeeded; its `detail` may be cut.'),
    provider: z.enum(ERP_PROVIDERS).describe('The provider of the connection.'),
    reachable: z.boolean().describe('Whether something that speaks the interface answered.'),
    authenticated: z.boolean().describe('Whether it accepted the credentials.'),
    entities: z
      .object({
        work_order: EntityCheck.describe('Work orders.'),
        production_data: EntityCheck.describe('Production data.'),
        downtime: EntityCheck.describe('Downtime records.'),
        machine: EntityCheck.describe('Assets, from which machines are created.'),
      })
      .describe('By entity: whether the ERP permits it.'),
  })
  .openapi('ErpConnectionTest', { example: { success: true, provider: 'erp_c', message: 'The ERP answers.' } })
