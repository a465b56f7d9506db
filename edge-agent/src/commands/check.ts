import { hostname } from 'node:os'
import type { MqttAccess } from '@haltless/protocol'
import { pkiDir, trustAdvice, trustedAuthorities } from '../agent.ts'
import type { CollectorSource, ProbeDeps, ProbeResult } from '../collectors/collector.ts'
import type { AgentConfig } from '../config-schema.ts'
import { exposedSecretWarnings } from '../config-secrets.ts'
import { damagedFiles } from '../damaged-files.ts'
import { sendHeartbeat } from '../heartbeat/hub-client.ts'
import { pushedCollectorSources } from '../sources/sources-file.ts'
import type { Clock } from '../support/clock.ts'
import { DataDirInUse, lockDataDir } from '../support/data-dir-lock.ts'
import { HttpClient } from '../support/http.ts'
import { instanceId } from '../support/instance-id.ts'
import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'
import { AGENT_VERSION } from '../support/version.ts'
import { Connector } from '../uplink/connector.ts'

export interface CheckDeps {
  clock: Clock
  logger: Logger
  probe: (source: CollectorSource, deps: ProbeDeps) => Promise<ProbeResult>
}

/** The result of one check. `note`: a problem that does not stop the agent. */
export interface Finding {
  what: string
  result: 'ok' | 'note' | 'FAIL'
  words: string
  /** more, line by line */
  lines: string[]
}

const CONNECT_TIMEOUT_MS = 5_000

/** Tries everything that a configuration names: data directory, hub, the ways to it, every collector. Sends no readings. */
export async function check(config: AgentConfig, deps: CheckDeps): Promise<Finding[]> {
  const http = new HttpClient(trustedAuthorities(config))
  try {
    const files = checkSecretFiles(config)
    const dataDir = checkDataDir(config)
    if (dataDir.result === 'FAIL') return [...files, dataDir]
    const { finding, access } = await checkHub(config, http, deps.logger)
    const ways = access ? await checkWays(config, access, http, deps.logger) : []
    const sources = [...config.collectors, ...pushedCollectorSources(config.dataDir, deps.logger)]
    const collectors = await Promise.all(sources.map((source) => checkCollector(source, config, deps)))
    return [...files, dataDir, ...checkDamage(config), finding, ...ways, ...collectors]
  } finally {
    http.close()
  }
}

const checkSecretFiles = ({ secretFiles }: AgentConfig): Finding[] =>
  exposedSecretWarnings(secretFiles).map((words) => ({ what: 'config', result: 'FAIL', words, lines: [] }))

const checkDamage = ({ dataDir }: AgentConfig): Finding[] =>
  damagedFiles(dataDir).map(({ name, consequence }) => ({
    what: 'damaged',
    result: 'note',
    words: `${name} was set aside; ${consequence}`,
    lines: [],
  }))

function checkDataDir({ dataDir }: AgentConfig): Finding {
  const what = 'data_dir'
  try {
    lockDataDir(dataDir, 0).release()
    return { what, result: 'ok', words: `${dataDir} can be written`, lines: [] }
  } catch (error) {
    if (error instanceof DataDirInUse) return { what, result: 'ok', words: `${dataDir} is in use by a running agent`, lines: [] }
    return { what, result: 'FAIL', words: `${dataDir} cannot be used: ${shortError(error)}`, lines: [] }
  }
}

async function checkHub(
  config: AgentConfig,
  http: HttpClient,
  logger: Logger,
): Promise<{ finding: Finding; access: MqttAccess | null }> {
  const { agentId, dataDir, hub } = config
  const said = { agent_id: agentId, agent_version: AGENT_VERSION, instance_id: instanceId(dataDir, logger), hostname: hostname() }
  const outcome = await sendHeartbeat(http, hub, said)
  const what = 'hub'
  if (outcome.kind !== 'granted')
    return { finding: { what, result: 'FAIL', words: `${hub.url}: ${outcome.detail}`, lines: [] }, access: null }
  const { mqtt, unsupported, min_supported_version, update_available, latest_agent_version } = outcome.answer
  const lines: string[] = []
  if (unsupported) lines.push(`the hub supports agents from ${min_supported_version}, this one is ${AGENT_VERSION}: update it`)
  else if (update_available) lines.push(`a newer agent is available: ${latest_agent_version}, this one is ${AGENT_VERSION}`)
  const words = `${hub.url} accepts the API key, this agent is ${agentId}`
  return { finding: { what, result: unsupported ? 'FAIL' : 'ok', words, lines }, access: mqtt ?? null }
}

/** Checks MQTT, and WebSocket when MQTT fails. HTTP needs no check: the heartbeat has used it. */
async function checkWays(config: AgentConfig, access: MqttAccess, http: HttpClient, logger: Logger): Promise<Finding[]> {
  const connector = new Connector({
    hubUrl: config.hub.url,
    apiKey: config.hub.apiKey,
    allowPlaintext: config.hub.allowPlaintext,
    // Another session than that of an agent that may be running: the broker ends the elder of two with one name.
    clientId: `${config.agentId}.check`,
    isAnnounced: false,
    override: config.uplink.mqtt,
    ca: trustedAuthorities(config),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    http,
    logger,
    onDirectives: () => {},
    onSources: () => {},
  })
  const attempt = async (kind: 'mqtt' | 'websocket'): Promise<string | null> => {
    try {
      await (await connector.openMqtt(kind, access, () => {})).close()
      return null
    } catch (error) {
      return shortError(error)
    }
  }
  const url = config.uplink.mqtt?.url ?? access.url
  const mqttFault = await attempt('mqtt')
  if (mqttFault === null) return [{ what: 'mqtt', result: 'ok', words: `${url} lets this agent in`, lines: [] }]
  const webSocketFault = await attempt('websocket')
  if (webSocketFault === null) {
    return [
      {
        what: 'mqtt',
        result: 'note',
        words: `${url}: ${mqttFault}`,
        lines: ['MQTT over WebSocket works and will be used instead'],
      },
    ]
  }
  const lines = [`MQTT over WebSocket: ${webSocketFault}`, 'readings would go over HTTP, which is slower']
  return [{ what: 'mqtt', result: 'FAIL', words: `${url}: ${mqttFault}`, lines }]
}

async function checkCollector(source: CollectorSource, config: AgentConfig, deps: CheckDeps): Promise<Finding> {
  const { ok, summary, lines } = await deps.probe(source, {
    clock: deps.clock,
    logger: deps.logger,
    pkiDir: pkiDir(config.dataDir),
    trustAdvice: trustAdvice(config),
  })
  return {
    what: source.name,
    result: ok ? 'ok' : 'FAIL',
    words: summary,
    lines,
  }
}

/** The findings in words, aligned. */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length))
  const rest = ' '.repeat(4 + 2 + width + 2)
  return findings
    .flatMap(({ what, result, words, lines }) => [
      `${result.padEnd(4)}  ${what.padEnd(width)}  ${words}`,
      ...lines.map((line) => `${rest}${line}`),
    ])
    .join('\n')
}
