import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../../support/errors.ts'
import type { ParseAnswer } from './parse-worker.ts'
import { type Row, UnreadableFile } from './table.ts'

/** Answers are to come within 2 seconds; a list of 500 rows takes a tenth of one. */
const LIMIT_MS = 1_500
const MEMORY_MB = 96
/** Files that are read at once, and that wait for it. */
const [AT_ONCE, MAX_WAITING] = [2, 20]

let running = 0
const waiting: (() => void)[] = []

/**
 * The rows of a CSV or XLSX file, whichever it is by its content. At most 1.5 seconds and 96 MB of heap.
 * @throws UnreadableFile, Unavailable when many others are being read
 */
export async function parseFile(bytes: Buffer): Promise<Row[]> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MAX_WAITING)
      throw new Unavailable('import_busy', 'Many files are being imported; try again in a few seconds.')
    await new Promise<void>((go) => waiting.push(go))
  } else running++
  try {
    return await inThread(bytes)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

function inThread(bytes: Buffer): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./parse-worker.ts', import.meta.url), {
      workerData: Uint8Array.from(bytes),
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: 16 },
    })
    const end = (result: Row[] | Error) => {
      clearTimeout(timer)
      worker.terminate()
      if (Array.isArray(result)) resolve(result)
      else reject(result)
    }
    const timer = setTimeout(
      () => end(new UnreadableFile('The file takes too long to read: it is larger than it looks.')),
      LIMIT_MS,
    )
    worker
      .once('message', (answer: ParseAnswer) => end('rows' in answer ? answer.rows : new UnreadableFile(answer.fault)))
      .once('error', (error: NodeJS.ErrnoException) =>
        end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new UnreadableFile('The file needs too much memory to read.') : error),
      )
      .once('exit', () => end(new UnreadableFile('The file could not be read.')))
  })
}
