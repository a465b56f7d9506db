import { AsyncLocalStorage } from 'node:async_hooks'
import type { Collector, CollectorDeps, CollectorSource } from '../collectors/collector.ts'
import { CollectorHosts } from '../collectors/host/collector-hosts.ts'
import { leftOut, leftOutCollector, recordEnd } from '../collectors/host/ended-by.ts'
import type { AgentConfig } from '../settings/schema.ts'
import type { Clock } from '../support/clock.ts'
import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'
import { type Reload, run } from './run.ts'

/** How long a stop may take after a fault. */
const FLUSH_MS = 5_000

/**
 * {@link run}, so that no device ends the agent: libraries that parse foreign bytes run in child processes, and a fault that nothing catches
 * here names its collector, lets the agent store what it has, and ends the process with 1.
 */
export async function runGuarded(
  config: AgentConfig,
  deps: { clock: Clock; logger: Logger },
  stop: AbortSignal,
  reload: Reload,
): Promise<void> {
  const { clock, logger } = deps
  const hosts = new CollectorHosts()
  const culprit = new AsyncLocalStorage<string>()
  const without = leftOut(config.dataDir, clock.now())
  for (const [collector, fault] of without) logger.error({ collector, fault }, 'a collector is left out: it ended the agent')
  const createCollector = (source: CollectorSource, collectorDeps: CollectorDeps): Collector => {
    const fault = without.get(source.name)
    if (fault !== undefined) return leftOutCollector(source, fault)
    const collector = hosts.create(source, collectorDeps)
    // Sockets and timers that it makes carry its name on.
    return {
      name: source.name,
      start: () => culprit.run(source.name, () => collector.start()),
      stop: () => collector.stop(),
      status: () => collector.status(),
    }
  }
  const faulted = new AbortController()
  const onFault = (error: unknown) => {
    const collector = culprit.getStore() ?? null
    logger.fatal({ collector, err: error }, 'a fault that nothing caught ends the agent')
    if (faulted.signal.aborted) return
    recordEnd(config.dataDir, { at: clock.now(), collector, fault: shortError(error).slice(0, 300) })
    faulted.abort()
    setTimeout(() => process.exit(1), FLUSH_MS)
  }
  process.on('uncaughtException', onFault)
  process.on('unhandledRejection', onFault)
  await run(
    config,
    { clock, logger, createCollector, browseSource: hosts.browse },
    AbortSignal.any([stop, faulted.signal]),
    reload,
  )
  hosts.close()
  if (faulted.signal.aborted) process.exit(1)
}
