import { hostname } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { AgentId } from '@haltless/protocol'
import { z } from 'zod'
import { DROP_POLICIES, type DropPolicy } from '../buffer/limits.ts'
import { type CollectorSource, deviceOf } from '../collectors/collector.ts'
import { contractOf, contracts } from '../collectors/contracts.ts'
import { StoredCredential } from '../enrolment/stored-credential.ts'
import { type RemoteAccess, RemoteFile, remoteAccess } from '../sources/remote-access.ts'
import { type ProxySettings, percentDecoded } from '../support/proxy.ts'
import { type ApiKey, Secret } from '../support/secret.ts'
import type { UpdateSettings } from '../updates/update-client.ts'
import { UpdateWindow } from '../updates/update-window.ts'

export interface AgentConfig {
  /** the file of these settings, absolute */
  file: string
  /** this file and those that it names, as far as they hold secrets themselves; absolute */
  secretFiles: readonly string[]
  hub: { url: string; apiKey: ApiKey; allowPlaintext: boolean }
  agentId: string
  /** absolute */
  dataDir: string
  buffer: { maxBytes: number; maxAgeMs: number | null; dropPolicy?: DropPolicy }
  uplink: {
    mqtt?: { url: string; username?: string; password?: Secret }
    maxInFlight: number
    backlogReadingsPerSecond: number
    receiptTimeoutMs: number
    /** PEM, trusted beside the usual authorities and those of the system */
    caFile?: string
    /** null: directly */
    proxy?: ProxySettings | null
  }
  updates: UpdateSettings
  remote: RemoteAccess
  /** `remote` as it is in the file */
  remoteFile: z.infer<typeof RemoteFile>
  /** the page on loopback; null: none */
  localPage: { port: number } | null
  logLevel: LogLevel
  collectors: CollectorSource[]
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
type LogLevel = (typeof LOG_LEVELS)[number]

/** Relative to the file. */
export const DEFAULT_DATA_DIR = './data'

const text = z.string().min(1).max(1_000)
const collectorBase = {
  name: z.string().min(1).max(255),
  machine_identifier: z.string().min(1).max(255),
  poll_interval_seconds: z.number().min(0.01).max(86_400).default(1),
}
const tcpPort = z.int().min(1).max(65_535)

/** A collector's settings stand beside its name: shorter to write than a `config` of their own, and typing errors show by their key. */
const collectorOf = (protocol: CollectorSource['protocol']) => {
  const { defaultPort, fileShape } = contractOf(protocol)
  const device = defaultPort === null ? {} : { host: z.string().min(1).max(255), port: tcpPort.default(defaultPort) }
  return z.strictObject({ protocol: z.literal(protocol), ...collectorBase, ...device, ...fileShape })
}
const [first, ...others] = (Object.keys(contracts) as CollectorSource['protocol'][]).map(collectorOf)
const Collector = z.discriminatedUnion('protocol', [first as ReturnType<typeof collectorOf>, ...others])

const ProxyEntry = z.strictObject({
  url: z
    .url({ protocol: /^http$/, error: 'must be an address such as http://proxy.example.com:3128' })
    .refine((url) => !URL.canParse(url) || !new URL(url).username, 'must hold no user name: use username and password beside it'),
  username: text.regex(/^[^:]+$/, 'must not hold a colon').optional(),
  password: text.optional(),
  no_proxy: z.array(z.string().min(1).max(255)).max(200).default([]),
})

/** `uplink.proxy`. */
export type ProxyEntry = z.infer<typeof ProxyEntry>

/** The schema of agent.yaml, with its snake_case keys. */
export const AgentFile = z.strictObject({
  hub: z.strictObject({
    url: z.url({ protocol: /^https?$/, error: 'must be an address such as https://hub.example.com' }),
    api_key: text.regex(/^[!-~]+$/, 'must not hold spaces, line ends or letters beyond ASCII').optional(),
    allow_plaintext: z.boolean().default(false),
  }),
  agent_id: AgentId.default(defaultAgentId),
  data_dir: text.default(DEFAULT_DATA_DIR),
  buffer: z
    .strictObject({
      max_megabytes: z.number().min(0.1).max(1_048_576).default(1_024),
      max_age_hours: z.number().min(0).default(0),
      drop_policy: z.enum(DROP_POLICIES).default('oldest'),
    })
    .prefault({}),
  uplink: z
    .strictObject({
      mqtt: z
        .strictObject({
          url: z.url({ protocol: /^(mqtts?|wss?)$/, error: 'must be an address such as mqtts://broker.example.com:8883' }),
          username: text.optional(),
          password: text.optional(),
        })
        .optional(),
      max_in_flight: z.int().min(1).max(64).default(8),
      backlog_readings_per_second: z.int().min(100).max(10_000_000).default(20_000),
      receipt_timeout_seconds: z.number().min(0.1).max(600).default(30),
      ca_file: text.optional(),
      proxy: z.union([z.literal('none'), ProxyEntry]).optional(),
    })
    .prefault({}),
  updates: z
    .strictObject({
      enabled: z.boolean().default(true),
      window: UpdateWindow.optional(),
      max_kilobytes_per_second: z.int().min(10).max(1_000_000).default(1_000),
    })
    .prefault({}),
  remote: RemoteFile.prefault({}),
  local_page: z.strictObject({ enabled: z.boolean().default(true), port: tcpPort.default(8465) }).prefault({}),
  log_level: z.enum(LOG_LEVELS).default('info'),
  collectors: z.array(Collector).max(200).default([]),
})

/**
 * Maps the validated file to settings and applies defaults.
 * @param folder the base of relative paths
 * @param credential of an enrolled agent; null: the file names an API key
 * @param env may name a proxy, which the file overrides
 */
export function resolveSettings(
  file: z.infer<typeof AgentFile>,
  folder: string,
  credential: StoredCredential | null,
  env: NodeJS.ProcessEnv,
): Omit<AgentConfig, 'file' | 'secretFiles'> {
  const { hub, buffer, uplink } = file
  const collectors = file.collectors.map(presentCollector)
  const at = (path: string) => (isAbsolute(path) ? path : resolve(folder, path))
  return {
    hub: {
      url: hub.url.replace(/\/+$/, ''),
      apiKey: credential ?? new Secret(hub.api_key ?? ''),
      allowPlaintext: hub.allow_plaintext,
    },
    agentId: file.agent_id,
    dataDir: at(file.data_dir),
    buffer: {
      maxBytes: Math.round(buffer.max_megabytes * 1_048_576),
      maxAgeMs: buffer.max_age_hours ? buffer.max_age_hours * 3_600_000 : null,
      dropPolicy: buffer.drop_policy,
    },
    uplink: {
      mqtt: uplink.mqtt && {
        ...uplink.mqtt,
        password: uplink.mqtt.password === undefined ? undefined : new Secret(uplink.mqtt.password),
      },
      maxInFlight: uplink.max_in_flight,
      backlogReadingsPerSecond: uplink.backlog_readings_per_second,
      receiptTimeoutMs: uplink.receipt_timeout_seconds * 1_000,
      caFile: uplink.ca_file === undefined ? undefined : at(uplink.ca_file),
      proxy: resolveProxy(uplink.proxy, env),
    },
    updates: {
      enabled: file.updates.enabled,
      window: file.updates.window,
      bytesPerSecond: file.updates.max_kilobytes_per_second * 1_000,
    },
    remote: remoteAccess(file.remote, collectors.map(deviceOf)),
    remoteFile: file.remote,
    localPage: file.local_page.enabled ? { port: file.local_page.port } : null,
    logLevel: file.log_level,
    collectors,
  }
}

/** The settings that differ, collectors aside, by their key in agent.yaml. */
export function changedSettings(before: AgentConfig, next: AgentConfig): string[] {
  const keys = {
    hub: 'hub',
    agentId: 'agent_id',
    dataDir: 'data_dir',
    buffer: 'buffer',
    uplink: 'uplink',
    updates: 'updates',
  } as const
  const others = { remoteFile: 'remote', localPage: 'local_page', logLevel: 'log_level' } as const
  return Object.entries({ ...keys, ...others }).flatMap(([key, name]) => {
    const [old, now] = [before, next].map((config) => comparable(config[key as keyof typeof keys | keyof typeof others]))
    return old === now ? [] : [name]
  })
}

/** In memory only: with secrets. An enrolled agent's credential changes by itself. */
const comparable = (value: unknown): string | undefined =>
  JSON.stringify(value, function (this: Record<string, unknown>, key, entry) {
    const original = this[key]
    return original instanceof Secret ? original.reveal() : original instanceof StoredCredential ? '' : entry
  })

function presentCollector(entry: z.infer<typeof Collector>): CollectorSource {
  const { protocol, name, machine_identifier, poll_interval_seconds } = entry
  const base = { name, machine: machine_identifier, pollIntervalSeconds: poll_interval_seconds }
  const device = 'host' in entry ? { host: entry.host, port: entry.port } : {}
  return { ...base, ...device, protocol, config: contractOf(protocol).config.parse(entry) } as unknown as CollectorSource
}

/** The name of this computer, as far as an agent id may hold it. */
export function defaultAgentId(name: string = hostname()): string {
  const id = (name.split('.')[0] as string)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
  return id || 'edge-agent'
}

/** The proxy of the file, else that of the environment, as other programs read it. */
export function resolveProxy(given: ProxyEntry | 'none' | undefined, env: NodeJS.ProcessEnv): ProxySettings | null {
  if (given === 'none') return null
  if (given) {
    const { hostname, port } = new URL(given.url)
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port ? Number(port) : 80,
      username: given.username ?? null,
      password: given.password === undefined ? null : new Secret(given.password),
      noProxy: given.no_proxy,
    }
  }
  const text = env.HTTPS_PROXY || env.https_proxy
  if (!text || !URL.canParse(text) || !/^http:/.test(text)) return null
  const { hostname, port, username, password } = new URL(text)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port ? Number(port) : 80,
    username: username ? percentDecoded(username) : null,
    password: password ? new Secret(percentDecoded(password)) : null,
    // What runs on this computer is never meant.
    noProxy: [
      'localhost',
      '127.0.0.0/8',
      '::1',
      ...(env.NO_PROXY || env.no_proxy || '').split(',').filter((entry) => entry.trim() !== ''),
    ],
  }
}
