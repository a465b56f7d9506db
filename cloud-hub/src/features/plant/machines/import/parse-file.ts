import { Worker } from 'node:worker_threads'
import { fieldMessage } from '../../../../error-codes/field-messages.ts'
import { Unavailable } from '../../../../support/errors.ts'
import { Turns } from '../../../../support/turns.ts'
import type { ParseMessage } from './parse-worker.ts'
import { type Row, UnreadableFile } from './table.ts'

/** CPU time limit for one file; a list of 500 rows needs a tenth. */
const CPU_LIMIT_MS = 1_500
/** Time limit for one file, long enough for a loaded machine. */
const LIMIT_MS = 20_000
const CHECK_MS = 50
const MEMORY_MB = 96
/** Files that are read concurrently, one of a tenant, and files of a tenant that may wait. */
const turns = new Turns({
  slots: 2,
  waitingPerTenant: 10,
  refusal: () => new Unavailable('import_busy', 'Many files are being imported; try again in a few seconds.'),
})

/**
 * Reads the rows of a CSV or XLSX file; its content decides which. It runs in a thread with at most 1.5 seconds of CPU time and
 * 96 MB of heap.
 * @param signal aborted when the client leaves; a file that waits is then never read
 * @throws UnreadableFile for a file that is not a list of machines; Unavailable when too many files are being read or this one
 * takes too long
 */
export const parseFile = (
  tenantId: string,
  bytes: Buffer,
  signal?: AbortSignal,
  limits = { cpuMs: CPU_LIMIT_MS, ms: LIMIT_MS },
): Promise<Row[]> => turns.run(tenantId, () => inThread(bytes, limits), signal)

const tooLong = () =>
  new Unavailable(
    'import_timeout',
    'The file takes too long to read. Try again; if it fails again, split the list into smaller files.',
  )

function inThread(bytes: Buffer, limits: { cpuMs: number; ms: number }): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./parse-worker.ts', import.meta.url), {
      workerData: Uint8Array.from(bytes),
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: 16 },
    })
    let isOver = false
    let check: NodeJS.Timeout | undefined
    const timer = setTimeout(() => end(tooLong()), limits.ms)
    const end = (result: Row[] | Error) => {
      isOver = true
      clearTimeout(timer)
      clearInterval(check)
      worker.terminate()
      if (Array.isArray(result)) resolve(result)
      else reject(result)
    }
    /** Loading the thread's modules costs more than most files, and does not count. */
    const limitProcessorTime = async () => {
      const loaded = await worker.cpuUsage()
      if (isOver) return
      check = setInterval(async () => {
        const { user, system } = await worker.cpuUsage(loaded).catch(() => ({ user: 0, system: 0 }))
        if ((user + system) / 1_000 > limits.cpuMs) end(tooLong())
      }, CHECK_MS)
    }
    worker
      .on('message', (message: ParseMessage) => {
        if (message === 'loaded') limitProcessorTime().catch(() => undefined)
        else end('rows' in message ? message.rows : new UnreadableFile(message.fault))
      })
      .once('error', (error: NodeJS.ErrnoException) =>
        end(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? new UnreadableFile(fieldMessage('file_too_complex', {}, 'The file needs too much memory to read: split it.'))
            : error,
        ),
      )
      .once('exit', () =>
        end(
          new UnreadableFile(fieldMessage('file_damaged', {}, 'The file could not be read: save the list as CSV and try again.')),
        ),
      )
  })
}
