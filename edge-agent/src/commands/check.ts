import { hostname } from 'node:os'
import type { AgentCheckAnswer, MqttAccess } from '@haltless/protocol'
import { pkiDir, trustAdvice, trustedAuthorities } from '../agent-paths.ts'
import type { CollectorSource, ProbeDeps, ProbeResult } from '../collectors/collector.ts'
import { damagedFiles } from '../damaged-files.ts'
import { StoredCredential } from '../enrolment/stored-credential.ts'
import { requestCheck, sendHeartbeat } from '../heartbeat/hub-client.ts'
import { askAgent } from '../local/local-client.ts'
import type { Overview } from '../local/overview.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { exposedSecretWarnings } from '../settings/secrets.ts'
import { KnownNamespaces } from '../sources/known-namespaces.ts'
import { pushedCollectorSources } from '../sources/sources-file.ts'
import type { Clock } from '../support/clock.ts'
import { DataDirInUse, lockDataDir } from '../support/data-dir-lock.ts'
import { HttpClient } from '../support/http.ts'
import { instanceId } from '../support/instance-id.ts'
import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'
import { AGENT_VERSION } from '../support/version.ts'
import { Connector } from '../uplink/connector.ts'
import { type ComparedClock, compareClocks } from './check-clocks.ts'
import { machineFindings, machinesOf, unitFindings } from './check-tags.ts'
import type { Finding } from './findings.ts'
import { unsetClock } from './unset-clock.ts'

export interface CheckDeps {
  clock: Clock
  logger: Logger
  probe: (source: CollectorSource, deps: ProbeDeps) => Promise<ProbeResult>
}

const CONNECT_TIMEOUT_MS = 5_000

/** Tries everything that a configuration names: data directory, hub, the ways to it, every collector. Sends no readings. */
export async function check(config: AgentConfig, deps: CheckDeps): Promise<Finding[]> {
  const http = new HttpClient(trustedAuthorities(config), config.uplink.proxy ?? null)
  try {
    const files = checkSecretFiles(config)
    const dataDir = checkDataDir(config)
    if (dataDir.result === 'FAIL') return [...files, dataDir]
    const { finding, access, isAccepted } = await checkHub(config, http, deps.logger)
    const ways = access ? await checkWays(config, access, http, deps.logger) : []
    const sources = [...config.collectors, ...pushedCollectorSources(config, deps.logger)]
    const machines = isAccepted ? await checkMachines(config, http, sources, deps.clock) : { findings: [], clock: [] }
    const collectors = await Promise.all(sources.map((source) => checkCollector(source, config, deps)))
    const clocks = compareClocks([...machines.clock, ...collectors.flatMap(({ clock }) => clock)])
    return [
      ...files,
      dataDir,
      ...checkDamage(config),
      finding,
      ...ways,
      ...clocks,
      ...collectors.flatMap(({ unset }) => unset),
      ...machines.findings,
      ...unitFindings(sources),
      ...collectors.map(({ finding }) => finding),
    ]
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
): Promise<{ finding: Finding; access: MqttAccess | null; isAccepted: boolean }> {
  const { agentId, dataDir, hub } = config
  const said = { agent_id: agentId, agent_version: AGENT_VERSION, instance_id: instanceId(dataDir, logger), hostname: hostname() }
  let outcome = await sendHeartbeat(http, hub, said)
  const isRefused = outcome.kind === 'held' && outcome.reason === 'credential_refused'
  if (isRefused && hub.apiKey instanceof StoredCredential && hub.apiKey.refused(hub.apiKey.reveal()))
    outcome = await sendHeartbeat(http, hub, said)
  const what = 'hub'
  if (outcome.kind !== 'granted')
    return {
      finding: { what, result: 'FAIL', words: `${hub.url}: ${outcome.detail}`, lines: [] },
      access: null,
      isAccepted: false,
    }
  const { mqtt, unsupported, min_supported_version, update_available, latest_agent_version } = outcome.answer
  const lines: string[] = []
  if (unsupported) lines.push(`the hub supports agents from ${min_supported_version}, this one is ${AGENT_VERSION}: update it`)
  else if (update_available) lines.push(`a newer agent is available: ${latest_agent_version}, this one is ${AGENT_VERSION}`)
  const words = `${hub.url} accepts ${hub.apiKey instanceof StoredCredential ? 'the credential' : 'the API key'}, this agent is ${agentId}`
  return { finding: { what, result: unsupported ? 'FAIL' : 'ok', words, lines }, access: mqtt ?? null, isAccepted: true }
}

/** How the agent that runs here is connected; null when none is. Brokers end the session of an agent when a second one begins. */
const runningVia = (dataDir: string): Promise<string | null> =>
  askAgent<Overview>(dataDir, 'GET', '/overview').then(
    ({ uplink }) => uplink.via,
    () => null,
  )

/** Checks MQTT, and WebSocket when MQTT fails. HTTP needs no check: the heartbeat has used it. */
async function checkWays(config: AgentConfig, access: MqttAccess, http: HttpClient, logger: Logger): Promise<Finding[]> {
  const url = config.uplink.mqtt?.url ?? access.url
  if ((await runningVia(config.dataDir)) === 'mqtt')
    return [{ what: 'mqtt', result: 'ok', words: `${url} lets this agent in: the one that runs is connected`, lines: [] }]
  const connector = new Connector({
    hubUrl: config.hub.url,
    agentId: config.agentId,
    apiKey: config.hub.apiKey,
    allowPlaintext: config.hub.allowPlaintext,
    // Another session than that of an agent that may be running: the broker ends the elder of two with one name.
    clientId: `${config.agentId}.check`,
    isAnnounced: false,
    override: config.uplink.mqtt,
    ca: trustedAuthorities(config),
    proxy: config.uplink.proxy ?? null,
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

/** Identifiers of one request. */
const MACHINES_AT_ONCE = 1_000

/** Whether the hub stores readings of the machines that the tags name, and what time it has. */
async function checkMachines(
  { agentId, hub }: AgentConfig,
  http: HttpClient,
  sources: readonly CollectorSource[],
  { monotonic, now }: Clock,
): Promise<{ findings: Finding[]; clock: ComparedClock[] }> {
  const machines = machinesOf(sources)
  const identifiers = [...machines.keys()]
  const states: AgentCheckAnswer['machines'] = []
  const clock: ComparedClock[] = []
  try {
    for (let at = 0; at === 0 || at < identifiers.length; at += MACHINES_AT_ONCE) {
      const body = { agent_id: agentId, machine_identifiers: identifiers.slice(at, at + MACHINES_AT_ONCE) }
      const startedAt = monotonic()
      const answer = await requestCheck(http, hub, body)
      if (!answer) {
        const words = 'the hub is too old to say whether it has the machines of the tags'
        return { findings: [{ what: 'machines', result: 'note', words, lines: [] }], clock }
      }
      states.push(...answer.machines)
      // The hub read its clock about half way through the request.
      const aheadMs = Date.parse(answer.time) - (now() - (monotonic() - startedAt) / 2)
      if (at === 0) clock.push({ name: 'the clock of the hub', kind: 'hub', aheadMs })
    }
    return { findings: machineFindings(hub.url, machines, states), clock }
  } catch (error) {
    return { findings: [{ what: 'machines', result: 'FAIL', words: shortError(error), lines: [] }], clock }
  }
}

async function checkCollector(
  source: CollectorSource,
  config: AgentConfig,
  deps: CheckDeps,
): Promise<{ finding: Finding; clock: ComparedClock[]; unset: Finding[] }> {
  const memory = new KnownNamespaces(config.dataDir, deps.logger).namespaceStore(source)
  const probed = await deps.probe(source, {
    ...(memory && { namespaces: memory }),
    clock: deps.clock,
    logger: deps.logger,
    pkiDir: pkiDir(config.dataDir),
    trustAdvice: trustAdvice(config),
    ...(config.remote.resolveHost && { resolveHost: config.remote.resolveHost }),
  })
  const { ok, summary, lines, clockAheadMs } = probed
  const unset = unsetClock(source.name, probed, deps.clock.now())
  return {
    unset: unset ? [unset] : [],
    finding: { what: source.name, result: ok ? 'ok' : 'FAIL', words: summary, lines },
    clock:
      clockAheadMs === null || unset
        ? []
        : [{ name: `the clock of ${source.name}`, kind: 'device', aheadMs: clockAheadMs, source }],
  }
}
