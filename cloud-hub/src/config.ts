import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Secret } from '@haltless/edge-agent/secret'
import { ReleaseVersion } from '@haltless/protocol'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import type { Logins } from './db/login.ts'
import type { ArchiveSettings } from './db/recovery/index.ts'
import { OperatorError } from './support/errors.ts'
import { readSecretFiles } from './support/secrets/secret-files.ts'

const projectRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

const int = (fallback: number, min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error }).default(fallback)
}
const optionalInt = (min: number, max: number) => int(min, min, max).unwrap().optional()
const oneOf = <const T extends readonly string[]>(names: T) => z.enum(names, { error: `must be one of ${names.join(', ')}` })
const url = (...schemes: string[]) =>
  z
    .string()
    .refine(
      (text) => schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text),
      `must be a URL beginning with ${schemes.map((s) => `${s}://`).join(' or ')}`,
    )
const secret = z.string().transform((text) => new Secret(text))
/** Permits `host1:5432,host2:5432`, which the driver accepts; `URL` parses only one port. */
const databaseUrl = z
  .string()
  .refine(
    (text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace(/,[^/?@]*(?=[/?]|$)/, '')),
    'must be a URL beginning with postgres:// or postgresql://',
  )
  .transform((text) => new Secret(text))
const isCidr = (text: string) => ipaddr.isValidCIDR(text) || ipaddr.isValid(text)
const cidrs = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .refine((list) => list.every(isCidr), 'must be a comma-separated list of addresses or CIDR ranges such as 10.0.0.0/8')
const version = (fallback: string) => ReleaseVersion.default(fallback)

const LISTEN = /^(\[[0-9a-fA-F:]+\]|[^:\s]+):(\d{1,5})$/
const listen = z
  .string()
  .refine((text) => Number(LISTEN.exec(text)?.[2] ?? 65_536) <= 65_535, 'must be an address and a port such as 127.0.0.1:9090')
  .transform((text) => {
    const [, host = '', port] = LISTEN.exec(text) ?? []
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
  })

/** `s3://bucket/prefix`, with the letters that a key may contain. */
const S3_STORE = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/

export const HUB_ROLE_NAMES = ['api', 'broker', 'worker'] as const
export type HubRole = (typeof HUB_ROLE_NAMES)[number]

/** Every setting of the hub, by the name of its environment variable. `.env.example` explains each. */
export const Settings = z.object({
  HOST: z.string().min(1).default('0.0.0.0'),
  PORT: int(8080, 0, 65_535),
  MQTT_PORT: int(1883, 0, 65_535),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: databaseUrl.optional(),
  SHARED_BUFFERS_MB: optionalInt(16, 65_536),
  DATABASE_APP_URL: databaseUrl.optional(),
  DATABASE_INGEST_URL: databaseUrl.optional(),
  DATABASE_SYSTEM_URL: databaseUrl.optional(),
  MQTT_URL: url('mqtt', 'mqtts').optional(),
  MQTT_USERNAME: z.string().optional(),
  MQTT_PASSWORD: secret.optional(),
  MQTT_PUBLIC_URL: url('mqtt', 'mqtts', 'ws', 'wss').optional(),
  PUBLIC_URL: url('http', 'https').optional(),
  SMTP_URL: url('smtp', 'smtps')
    .transform((text) => new Secret(text))
    .optional(),
  MAIL_FROM: z.string().default('Haltless <no-reply@localhost>'),
  SECRET_KEY: z
    .string()
    .min(32, 'must have at least 32 characters; `openssl rand -base64 32` makes one')
    .transform((text) => new Secret(text))
    .optional(),
  SECRET_KEY_NEXT: z
    .string()
    .min(32, 'must have at least 32 characters; `openssl rand -base64 32` makes one')
    .transform((text) => new Secret(text))
    .optional(),
  OUTBOUND_ALLOW: cidrs,
  REGISTRATION: oneOf(['open', 'closed']).default('open'),
  SSO_DOMAIN_PROOF: oneOf(['dns', 'none']).default('dns'),
  TENANT_SENDINGS_PER_DAY: int(200, 1, 10_000),
  ADDRESS_INVITATIONS_PER_DAY: int(20, 1, 1_000),
  ATTACHMENT_STORE: z
    .string()
    .refine((text) => !text.includes('://') || S3_STORE.test(text), 'must be a path, or s3://bucket or s3://bucket/prefix')
    .optional(),
  ATTACHMENT_MAX_BYTES: int(26_214_400, 1, 1_073_741_824),
  ATTACHMENT_TENANT_BYTES: int(10_737_418_240, 0, Number.MAX_SAFE_INTEGER),
  WAL_ARCHIVE: z.string().min(1).optional(),
  WAL_ARCHIVE_COMMAND: z.string().min(1).optional(),
  WAL_RESTORE_COMMAND: z.string().min(1).optional(),
  S3_ENDPOINT: url('http', 'https').optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: secret.optional(),
  WEB_PUSH: oneOf(['on', 'off']).default('on'),
  NARRATIVE_URL: url('http', 'https').optional(),
  NARRATIVE_KEY: secret.optional(),
  NARRATIVE_MODEL: z.string().min(1).optional(),
  TRUSTED_PROXIES: cidrs,
  PROXY_PROTOCOL: oneOf(['on', 'off']).default('off'),
  HUB_ROLES: z
    .string()
    .default(HUB_ROLE_NAMES.join(','))
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(oneOf(HUB_ROLE_NAMES)).min(1)),
  RATE_LIMIT_SCHEME: oneOf(['flat', 'tier']).default('flat'),
  MACHINE_OFFLINE_AFTER_SECONDS: int(600, 1, 86_400),
  BASELINE_INTERVAL_SECONDS: int(3_600, 1, 86_400),
  ESCALATION_TICK_SECONDS: int(10, 1, 3_600),
  ERP_SYNC_TICK_SECONDS: int(15, 1, 3_600),
  ERP_TIMEOUT_SECONDS: int(30, 1, 300),
  RAW_RETENTION_DAYS: int(90, 0, 36_500),
  MINUTE_RETENTION_DAYS: int(365, 0, 36_500),
  HOUR_RETENTION_DAYS: int(0, 0, 36_500),
  DELIVERY_RETENTION_DAYS: int(90, 0, 36_500),
  HEARTBEAT_SECONDS: int(60, 1, 3_600),
  REQUEST_TIMEOUT_SECONDS: int(12, 1, 300),
  LATEST_AGENT_VERSION: version('0.1.0'),
  MIN_SUPPORTED_VERSION: version('0.1.0'),
  METRICS_LISTEN: listen.optional(),
  METRICS_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .transform((text) => new Secret(text))
    .optional(),
  TLS_CERT: z.string().optional(),
  TLS_KEY: z.string().optional(),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

const LOGIN_SETTINGS = ['DATABASE_APP_URL', 'DATABASE_INGEST_URL', 'DATABASE_SYSTEM_URL'] as const

/** Where attachments are stored. */
export type StoreSettings =
  | { kind: 'directory'; folder: string }
  | {
      kind: 's3'
      bucket: string
      prefix: string
      endpoint: string | undefined
      region: string
      accessKeyId: string
      secretAccessKey: Secret
    }

export interface HubConfig {
  host: string
  port: number
  mqttPort: number
  /** absolute; a relative DATA_DIR is resolved against the project */
  dataDir: string
  /** the owner's; undefined: the hub supervises its own PostgreSQL in `dataDir`, unless `databaseLogins` is set */
  databaseUrl: Secret | undefined
  /** of the embedded PostgreSQL; undefined: an eighth of the memory */
  sharedBuffersMb: number | undefined
  /** for recovery to any instant; undefined: the hub makes no base backups, and its own PostgreSQL does not archive */
  walArchive: ArchiveSettings | undefined
  /** logins that an administrator created; undefined: the owner creates them */
  databaseLogins: Logins | undefined
  /** undefined: each hub with the role `broker` runs the embedded one */
  externalBroker: { url: string; username: string | undefined; password: Secret | undefined } | undefined
  mqttPublicUrl: string | undefined
  publicUrl: string | undefined
  smtpUrl: Secret | undefined
  mailFrom: string
  /** undefined: the hub generates its key in `dataDir` */
  secretKey: Secret | undefined
  /** the key that a rotation changes to */
  secretKeyNext: Secret | undefined
  outboundAllow: string[]
  /** any visitor may create a tenant; otherwise only the operator */
  isRegistrationOpen: boolean
  /** how a tenant proves the domain of its SSO configuration */
  ssoDomainProof: 'dns' | 'none'
  /** in 24 hours: invitations and channel tests per tenant, and invitations per address */
  sendingLimits: { perTenant: number; perAddress: number }
  attachments: {
    store: StoreSettings
    /** of one file */
    maxBytes: number
    /** of all files of a tenant together; 0: no limit */
    tenantBytes: number
  }
  /** web push is enabled */
  webPush: boolean
  /** the language model that writes narratives; null: templates do */
  narrativeProvider: { url: string; key: Secret | undefined; model: string } | null
  trustedProxies: string[]
  /** connections from trusted proxies begin with a header of the PROXY protocol, version 2 */
  proxyProtocol: boolean
  roles: ReadonlySet<HubRole>
  rateLimitScheme: 'flat' | 'tier'
  machineOfflineAfterSeconds: number
  baselineIntervalSeconds: number
  escalationTickSeconds: number
  erpSyncTickSeconds: number
  /** of one request to an ERP */
  erpTimeoutSeconds: number
  /** days, 0 is for ever; the default of tenants without settings of their own */
  retention: { rawDays: number; minuteDays: number; hourDays: number }
  /** days for which deliveries and their attempts are kept; 0 is for ever */
  deliveryRetentionDays: number
  heartbeatSeconds: number
  /** time limit of every request */
  requestTimeoutSeconds: number
  /** a separate address for `/metrics` */
  metricsListen: { host: string; port: number } | undefined
  /** required for `/metrics` on the hub's own port */
  metricsToken: Secret | undefined
  latestAgentVersion: string
  minSupportedVersion: string
  /** paths of PEM files; with them HTTP becomes HTTPS and MQTT becomes MQTTS */
  tls: { certFile: string; keyFile: string } | undefined
  logLevel: string
}

/** Finer data are kept no longer than their statistics, because charts use these. */
const RETENTION_ORDER = [
  ['rawDays', 'minuteDays'],
  ['minuteDays', 'hourDays'],
] as const

/** The first pair of spans where the finer data are kept longer (0 is for ever); null for valid spans. */
export function retentionFault(days: HubConfig['retention']): (typeof RETENTION_ORDER)[number] | null {
  const span = (n: number) => n || Number.POSITIVE_INFINITY
  return RETENTION_ORDER.find(([finer, coarser]) => span(days[finer]) > span(days[coarser])) ?? null
}

/** Whether this hub serves MQTT itself. */
export const hasEmbeddedBroker = ({ externalBroker, roles }: Pick<HubConfig, 'externalBroker' | 'roles'>): boolean =>
  !externalBroker && roles.has('broker')

/** The hub's public address for links: PUBLIC_URL, or its address on this machine. No slash at the end. */
export const publicUrl = (config: HubConfig): string =>
  config.publicUrl ?? `${config.tls ? 'https' : 'http'}://localhost:${config.port}`

/** Whether only this machine can reach a listener on this host. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host)

/** A warning when passwords and tokens would cross a network unencrypted; null with TLS, or when they stay on this machine. */
export const plaintextWarning = (config: Pick<HubConfig, 'host' | 'tls'>): string | null =>
  config.tls || isLoopback(config.host)
    ? null
    : `The hub listens on ${config.host} without TLS: passwords, tokens and readings cross the network unencrypted. Set TLS_CERT and TLS_KEY, ` +
      'or HOST=127.0.0.1 behind a proxy on this machine that terminates TLS.'

/** All faults of the environment; `message` is for a terminal. */
export class ConfigError extends OperatorError {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((f) => `  ${f}`).join('\n')}`,
    )
    this.faults = faults
  }
}

/** Settings that a file may contain, named by `<setting>_FILE`, as container engines provide secrets. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  ...LOGIN_SETTINGS,
  'SECRET_KEY',
  'SECRET_KEY_NEXT',
  'MQTT_PASSWORD',
  'SMTP_URL',
  'S3_SECRET_ACCESS_KEY',
  'NARRATIVE_KEY',
] as const

function storeSettings(s: z.output<typeof Settings>): StoreSettings {
  const [, bucket, prefix = ''] = S3_STORE.exec(s.ATTACHMENT_STORE ?? '') ?? []
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, S3_REGION: region } = s
  if (bucket && accessKeyId && secretAccessKey)
    return {
      kind: 's3',
      bucket,
      prefix: prefix.replace(/\/+$/, ''),
      endpoint: s.S3_ENDPOINT,
      region,
      accessKeyId,
      secretAccessKey,
    }
  return {
    kind: 'directory',
    folder: path.resolve(projectRoot, s.ATTACHMENT_STORE ?? path.join(path.resolve(projectRoot, s.DATA_DIR), 'attachments')),
  }
}

/**
 * Reads the hub's settings; an empty variable counts as absent.
 * @throws ConfigError naming every fault
 */
export function loadConfig(env: Record<string, string | undefined>): HubConfig {
  const { values: given, faults } = readSecretFiles(env, SECRET_SETTINGS)
  const parsed = Settings.safeParse(given)
  if (!parsed.success) faults.push(...parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`))
  if (parsed.success) {
    const { RAW_RETENTION_DAYS: rawDays, MINUTE_RETENTION_DAYS: minuteDays, HOUR_RETENTION_DAYS: hourDays } = parsed.data
    const names = { rawDays: 'RAW_RETENTION_DAYS', minuteDays: 'MINUTE_RETENTION_DAYS', hourDays: 'HOUR_RETENTION_DAYS' }
    const wrong = retentionFault({ rawDays, minuteDays, hourDays })
    if (wrong) faults.push(`${names[wrong[1]]}: must be at least ${names[wrong[0]]}, or 0 for ever`)
  }
  const logins = LOGIN_SETTINGS.filter((name) => given[name])
  if (logins.length > 0)
    for (const name of LOGIN_SETTINGS) if (!given[name]) faults.push(`${name}: is required beside ${logins.join(', ')}`)
  const hasDatabase = Boolean(given.DATABASE_URL) || logins.length > 0
  if (hasDatabase && !given.SECRET_KEY)
    faults.push('SECRET_KEY: is required with DATABASE_URL (it encrypts secrets that several replicas share)')
  if (given.SECRET_KEY_NEXT && !given.SECRET_KEY)
    faults.push('SECRET_KEY: is required beside SECRET_KEY_NEXT: the key that the database belongs to until it is changed')
  if (Boolean(given.TLS_CERT) !== Boolean(given.TLS_KEY))
    faults.push(`${given.TLS_CERT ? 'TLS_KEY' : 'TLS_CERT'}: is required beside ${given.TLS_CERT ? 'TLS_CERT' : 'TLS_KEY'}`)
  if (given.ATTACHMENT_STORE?.startsWith('s3:'))
    for (const name of ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const)
      if (!given[name]) faults.push(`${name}: is required for ATTACHMENT_STORE=s3://...`)
  if (given.WAL_ARCHIVE_COMMAND && !given.WAL_RESTORE_COMMAND)
    faults.push('WAL_RESTORE_COMMAND: is required beside WAL_ARCHIVE_COMMAND')
  for (const name of ['WAL_ARCHIVE_COMMAND', 'WAL_RESTORE_COMMAND'] as const) {
    if (given[name] && !given.WAL_ARCHIVE) faults.push(`WAL_ARCHIVE: is required beside ${name} (base backups are listed there)`)
    if (given[name] && !(given[name].includes('%f') && given[name].includes('%p')))
      faults.push(`${name}: must contain %f (the name of the file) and %p (its path)`)
  }
  if (Boolean(given.NARRATIVE_URL) !== Boolean(given.NARRATIVE_MODEL))
    faults.push('NARRATIVE_MODEL: is required with NARRATIVE_URL, and only with it')
  const roles = new Set((given.HUB_ROLES ?? HUB_ROLE_NAMES.join(',')).split(',').map((part) => part.trim()))
  if (given.PROXY_PROTOCOL === 'on' && !given.TRUSTED_PROXIES)
    faults.push('TRUSTED_PROXIES: is required with PROXY_PROTOCOL=on (only from them a header is believed)')
  if (HUB_ROLE_NAMES.some((role) => !roles.has(role)) && !hasDatabase)
    faults.push('DATABASE_URL: is required when HUB_ROLES leaves a role out')
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults)
  const s = parsed.data
  return {
    host: s.HOST,
    port: s.PORT,
    mqttPort: s.MQTT_PORT,
    dataDir: path.resolve(projectRoot, s.DATA_DIR),
    databaseUrl: s.DATABASE_URL,
    sharedBuffersMb: s.SHARED_BUFFERS_MB,
    walArchive: s.WAL_ARCHIVE
      ? {
          folder: path.resolve(projectRoot, s.WAL_ARCHIVE),
          archiveCommand: s.WAL_ARCHIVE_COMMAND,
          restoreCommand: s.WAL_RESTORE_COMMAND,
          claimFile: path.join(path.resolve(projectRoot, s.DATA_DIR), 'wal-archive'),
        }
      : undefined,
    databaseLogins: s.DATABASE_APP_URL &&
      s.DATABASE_INGEST_URL &&
      s.DATABASE_SYSTEM_URL && {
        haltless_app: { url: s.DATABASE_APP_URL },
        haltless_ingest: { url: s.DATABASE_INGEST_URL },
        haltless_system: { url: s.DATABASE_SYSTEM_URL },
      },
    externalBroker: s.MQTT_URL ? { url: s.MQTT_URL, username: s.MQTT_USERNAME, password: s.MQTT_PASSWORD } : undefined,
    mqttPublicUrl: s.MQTT_PUBLIC_URL,
    publicUrl: s.PUBLIC_URL?.replace(/\/$/, ''),
    smtpUrl: s.SMTP_URL,
    mailFrom: s.MAIL_FROM,
    secretKey: s.SECRET_KEY,
    secretKeyNext: s.SECRET_KEY_NEXT,
    outboundAllow: s.OUTBOUND_ALLOW,
    isRegistrationOpen: s.REGISTRATION === 'open',
    ssoDomainProof: s.SSO_DOMAIN_PROOF,
    sendingLimits: { perTenant: s.TENANT_SENDINGS_PER_DAY, perAddress: s.ADDRESS_INVITATIONS_PER_DAY },
    attachments: { store: storeSettings(s), maxBytes: s.ATTACHMENT_MAX_BYTES, tenantBytes: s.ATTACHMENT_TENANT_BYTES },
    webPush: s.WEB_PUSH === 'on',
    narrativeProvider:
      s.NARRATIVE_URL && s.NARRATIVE_MODEL
        ? { url: s.NARRATIVE_URL.replace(/\/+$/, ''), key: s.NARRATIVE_KEY, model: s.NARRATIVE_MODEL }
        : null,
    trustedProxies: s.TRUSTED_PROXIES,
    proxyProtocol: s.PROXY_PROTOCOL === 'on',
    roles: new Set(s.HUB_ROLES),
    rateLimitScheme: s.RATE_LIMIT_SCHEME,
    machineOfflineAfterSeconds: s.MACHINE_OFFLINE_AFTER_SECONDS,
    baselineIntervalSeconds: s.BASELINE_INTERVAL_SECONDS,
    escalationTickSeconds: s.ESCALATION_TICK_SECONDS,
    erpSyncTickSeconds: s.ERP_SYNC_TICK_SECONDS,
    erpTimeoutSeconds: s.ERP_TIMEOUT_SECONDS,
    retention: { rawDays: s.RAW_RETENTION_DAYS, minuteDays: s.MINUTE_RETENTION_DAYS, hourDays: s.HOUR_RETENTION_DAYS },
    deliveryRetentionDays: s.DELIVERY_RETENTION_DAYS,
    heartbeatSeconds: s.HEARTBEAT_SECONDS,
    requestTimeoutSeconds: s.REQUEST_TIMEOUT_SECONDS,
    metricsListen: s.METRICS_LISTEN,
    metricsToken: s.METRICS_TOKEN,
    latestAgentVersion: s.LATEST_AGENT_VERSION,
    minSupportedVersion: s.MIN_SUPPORTED_VERSION,
    tls: s.TLS_CERT && s.TLS_KEY ? { certFile: s.TLS_CERT, keyFile: s.TLS_KEY } : undefined,
    logLevel: s.LOG_LEVEL,
  }
}
