import { type AgentDeps, createAgent } from '../agent.ts'
import type { AgentConfig } from '../config.ts'
import { writeStatusFile } from '../status-file.ts'
import { plainError } from '../support/plain-error.ts'
import { AGENT_VERSION } from '../support/version.ts'

/** How often the status file is written. */
const STATUS_EVERY_MS = 2_000

/** Runs an agent until `stop` aborts. @throws DataDirInUse */
export async function run(config: AgentConfig, deps: AgentDeps, stop: AbortSignal): Promise<void> {
  const { clock, logger } = deps
  const agent = createAgent(config, deps)
  const startedAt = clock.now()
  const writeStatus = () => {
    try {
      const about = { pid: process.pid, agentId: config.agentId, version: AGENT_VERSION, startedAt, writtenAt: clock.now() }
      writeStatusFile(config.dataDir, { ...about, ...agent.status() })
    } catch (error) {
      logger.warn({ error: plainError(error) }, 'the status file could not be written')
    }
  }
  logger.info(
    { agent_id: config.agentId, version: AGENT_VERSION, hub: config.hub.url, collectors: config.collectors.length },
    'started',
  )
  agent.start()
  while (!stop.aborted) {
    writeStatus()
    await clock.sleep(STATUS_EVERY_MS, stop)
  }
  logger.info({}, 'stopping')
  await agent.stop()
  writeStatus()
  logger.info({}, 'stopped')
}
