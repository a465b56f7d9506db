import { bufferFile } from '../agent-paths.ts'
import { ReadingBuffer } from '../buffer/buffer.ts'
import { ProcessClock } from '../clock/process-clock.ts'
import { Timekeeper } from '../clock/timekeeper.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { lockDataDir } from '../support/data-dir-lock.ts'
import { instanceId } from '../support/instance-id.ts'
import type { AgentDeps } from './deps.ts'

/** What the agent keeps in its data directory, and the clock that dates it. */
export interface Storage {
  instanceId: string
  processClock: ProcessClock
  timekeeper: Timekeeper
  buffer: ReadingBuffer
  close(): void
}

/**
 * Locks the data directory and opens the buffer.
 * @param readableBy the schema of an older agent that may have to read the buffer again
 * @throws DataDirInUse when another agent runs on the same data directory
 */
export function openStorage(
  config: AgentConfig,
  { clock, logger, bootTime }: Pick<AgentDeps, 'clock' | 'logger' | 'bootTime'>,
  readableBy: number | undefined,
): Storage {
  const processClock = new ProcessClock(clock, bootTime)
  const lock = lockDataDir(config.dataDir)
  const id = instanceId(config.dataDir, logger)
  const buffer = new ReadingBuffer({
    file: bufferFile(config.dataDir),
    ...config.buffer,
    readableBy,
    clock: processClock,
    clockAnchor: processClock,
    logger,
    beforeRestore: () => {
      lock.renew()
      instanceId(config.dataDir, logger, id)
    },
  })
  return {
    instanceId: id,
    processClock,
    timekeeper: new Timekeeper({ processClock, wallClock: clock, buffer, logger }),
    buffer,
    close() {
      buffer.close()
      lock.release()
    },
  }
}
