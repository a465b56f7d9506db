import type { ReadingColumns } from '@haltless/protocol'
import type { BootTime } from '../clock/process-clock.ts'
import type { browseSource } from '../collectors/browse-source.ts'
import type { Collector, CollectorDeps, CollectorSource } from '../collectors/collector.ts'
import type { Clock } from '../support/clock.ts'
import type { Logger } from '../support/logger.ts'

export interface AgentDeps {
  clock: Clock
  logger: Logger
  createCollector: (source: CollectorSource, deps: CollectorDeps) => Collector
  /** browses the device of a source; in this process when absent */
  browseSource?: typeof browseSource
  /** since the computer was started; of this computer when absent */
  bootTime?: BootTime
  /** the first wait before a better way to the hub is tried again, ms */
  betterRetryMs?: number
  connectTimeoutMs?: number
  /** how often the agent checks pushed sources for faults to report, ms */
  sourcesCheckIntervalMs?: number
  /** how long changed settings of a pushed source may take to deliver, by poll interval; ms */
  sourceTrialMs?: (pollIntervalSeconds: number) => number
  /** called with all that collectors hand on, before it is buffered */
  onCollected?: (collector: string, readings: ReadingColumns) => void
  /** warnings about this computer, such as file permissions, for the hub to show */
  warnings?: readonly string[]
}
