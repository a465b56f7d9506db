import { ERP_PROVIDERS, type ErpProvider } from '../../../db/enums.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import { Address, COMMON_KEYS, configRules, Identifier, keysOf, Password, UserName } from './config-rules.ts'
import { camelCase, defaultsOf, pascalCase } from './defaults.ts'
import { erpASession } from './erp-a/session.ts'
import { erpBSession } from './erp-b/session.ts'
import { erpCSession } from './erp-c/session.ts'
import type { Provider } from './provider.ts'

const SapClient = z.string().regex(/^\d{3}$/, invalid('invalid_credential', {}, 'must be three digits, such as 100'))

const ErpAConfig = z.strictObject({ ...COMMON_KEYS, client: SapClient, username: UserName, password: Password })
const ErpBConfig = z.strictObject({
  ...COMMON_KEYS,
  tenant_id: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9.-]{0,254}$/,
      invalid('invalid_credential', {}, 'must be the id or a domain of a Microsoft Entra tenant'),
    ),
  client_id: Identifier,
  client_secret: Password,
  token_url: Address.optional(),
})
const ErpCConfig = z.strictObject({ ...COMMON_KEYS, username: UserName, password: Password })

const ERP_A_DEFAULTS = defaultsOf(
  pascalCase,
  { work_order: 'WorkOrders', production_data: 'ProductionData', downtime: 'Downtimes', machine: 'Equipment' },
  { work_order: 'WorkOrder', production_data: 'Confirmation', downtime: 'Notification', machine: 'Equipment' },
)
const ERP_B_DEFAULTS = defaultsOf(
  (name) => `hl_${name.replaceAll('_', '')}`,
  {
    work_order: 'api/data/v9.2/hl_workorders',
    production_data: 'api/data/v9.2/hl_productiondatas',
    downtime: 'api/data/v9.2/hl_downtimes',
    machine: 'api/data/v9.2/hl_assets',
  },
  {
    work_order: 'hl_workorderid',
    production_data: 'hl_productiondataid',
    downtime: 'hl_downtimeid',
    machine: 'hl_assetid',
  },
)
const ERP_C_DEFAULTS = defaultsOf(
  camelCase,
  { work_order: 'work-orders', production_data: 'production-data', downtime: 'downtimes', machine: 'assets' },
  { work_order: 'id', production_data: 'id', downtime: 'id', machine: 'id' },
)

interface Entry extends Provider {
  product: string
  config: z.ZodType
}

/** A full map: a provider without an entry does not compile. */
const providers: Record<ErpProvider, Entry> = {
  erp_a: {
    provider: 'erp_a',
    product: 'SAP, OData v2',
    config: ErpAConfig,
    rules: (http) => configRules(http, ErpAConfig, ['password'], ['base_url']),
    defaults: ERP_A_DEFAULTS,
    open: (settings) => erpASession(ERP_A_DEFAULTS, settings),
  },
  erp_b: {
    provider: 'erp_b',
    product: 'Microsoft Dynamics 365, OData v4',
    config: ErpBConfig,
    rules: (http) => configRules(http, ErpBConfig, ['client_secret'], ['base_url', 'token_url']),
    defaults: ERP_B_DEFAULTS,
    open: (settings) => erpBSession(ERP_B_DEFAULTS, settings),
  },
  erp_c: {
    provider: 'erp_c',
    product: 'REST/JSON',
    config: ErpCConfig,
    rules: (http) => configRules(http, ErpCConfig, ['password'], ['base_url']),
    defaults: ERP_C_DEFAULTS,
    open: (settings) => erpCSession(ERP_C_DEFAULTS, settings),
  },
}

export const providerOf = (provider: ErpProvider): Provider => providers[provider]

/** For the API document: the shape of a provider's configuration. */
export const configOf = (provider: ErpProvider): z.ZodType => providers[provider].config

/** For the API document, one line for each provider: the keys of its configuration. */
export const configKeys = (): string[] =>
  ERP_PROVIDERS.map((provider) => `\`${provider}\` (${providers[provider].product}): ${keysOf(providers[provider].config)}`)
