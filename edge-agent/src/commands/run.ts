import type { AgentDeps } from '../agent/deps.ts'
import { type Agent, type AgentStatus, createAgent } from '../agent.ts'
import { statusText } from '../collectors/collector.ts'
import { BufferForecast } from '../local/buffer-forecast.ts'
import { ErrorLog } from '../local/error-log.ts'
import { startLocalServer } from '../local/local-server.ts'
import { NewestValues } from '../local/newest-values.ts'
import { overviewOf } from '../local/overview.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { restrictSecretFiles } from '../settings/secrets.ts'
import { writeStatusFile } from '../status-file.ts'
import { agentCommand } from '../support/agent-command.ts'
import { shortError } from '../support/short-error.ts'
import { AGENT_VERSION } from '../support/version.ts'

/** How often the status is checked; the file is written when a state changed, and otherwise every 5 s. */
const POLL_INTERVAL_MS = 250
const WRITE_MS = 5_000

/** How settings are read again while the agent runs. */
export interface Reload {
  /** calls back when they should be */
  onRequest(reload: () => void): void
  /** @throws Error that tells all faults */
  load(): AgentConfig
}

/** Runs an agent until `stop` aborts. @throws DataDirInUse */
export async function run(config: AgentConfig, deps: AgentDeps, stop: AbortSignal, reload?: Reload): Promise<void> {
  const { clock, logger } = deps
  const warnings = restrictSecretFiles(config.secretFiles)
  for (const warning of warnings) logger.warn({}, warning)
  const values = new NewestValues()
  const agent = createAgent(config, { ...deps, warnings, onCollected: (collector, readings) => values.take(collector, readings) })
  const startedAt = clock.now()
  const errors = new ErrorLog(startedAt)
  const forecast = new BufferForecast()
  let written = { states: '', at: Number.NEGATIVE_INFINITY }
  const writeStatus = () => {
    const status = agent.status()
    errors.note(status, clock.now())
    const states = statesOf(status)
    if (states === written.states && clock.monotonic() - written.at < WRITE_MS) return
    written = { states, at: clock.monotonic() }
    try {
      const about = { pid: process.pid, agentId: config.agentId, version: AGENT_VERSION, startedAt, writtenAt: clock.now() }
      writeStatusFile(config.dataDir, { ...about, ...status })
    } catch (error) {
      logger.warn({ error: shortError(error) }, 'the status file could not be written')
    }
  }
  logger.info(
    { agent_id: config.agentId, version: AGENT_VERSION, hub: config.hub.url, collectors: config.collectors.length },
    'started',
  )
  agent.start()
  const local = await startLocalServer({
    dataDir: config.dataDir,
    port: config.localPage?.port ?? null,
    overview: () => overviewOf({ config, agent, values, errors, forecast, startedAt }, clock.now()),
    linkCommand: agentCommand(config.file, 'page'),
    values,
    acceptNamespaces: (collector) => agent.acceptNamespaces(collector),
    logger,
    monotonic: () => clock.monotonic(),
  })
  let reloading: Promise<void> = Promise.resolve()
  reload?.onRequest(() => {
    reloading = reloading.then(() => (stop.aborted ? undefined : applySettings(agent, reload, logger)))
  })
  while (!stop.aborted) {
    writeStatus()
    forecast.noteSometimes(() => agent.bufferUse().stats.usedBytes, clock.monotonic())
    await clock.sleep(POLL_INTERVAL_MS, stop)
  }
  logger.info({}, 'stopping')
  local.close()
  await reloading
  await agent.stop()
  writeStatus()
  logger.info({}, 'stopped')
}

/** The states whose change rewrites the status file at once. Counters are excluded, to limit disk writes. */
const statesOf = ({ uplink, hub, collectors, update }: AgentStatus): string =>
  JSON.stringify([update.state, uplink.state, uplink.via, uplink.detail, hub.detail, Object.values(collectors).map(statusText)])

/** Faults change nothing, and are logged. */
async function applySettings(agent: Agent, { load }: Reload, logger: AgentDeps['logger']): Promise<void> {
  try {
    const { started, changed, stopped, needRestart } = await agent.reload(load())
    logger.info({ started, changed, stopped }, 'the settings were read again')
    if (needRestart.length > 0)
      logger.warn({ settings: needRestart }, 'these settings changed too, and count when the agent is started again')
  } catch (error) {
    const faults = error instanceof Error ? error.message : String(error)
    logger.error({ faults }, 'the settings have faults; the agent goes on with those before')
  }
}
