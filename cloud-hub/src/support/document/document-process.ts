import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { DrawAnswer, DrawRequest } from './draw-process.ts'

/** Heap of the process; decoded photos lie outside of it. */
const MEMORY_MB = 256
/** Longest time for one photo, and for drawing the longest certificate, on a loaded machine. */
const [PHOTO_MS, DOCUMENT_MS] = [60_000, 1_800_000]

/** The process ended, or took too long: the document itself need not be at fault. */
export class DrawingEnded extends Error {
  override readonly name = 'DrawingEnded'
}

/**
 * A process that draws documents. Decoding, shaping and layout delay no request of the hub, all memory is free again afterwards, and a photo
 * that crashes its decoder neither ends the hub nor reaches its secrets: the environment is empty. The next request starts a new process.
 */
export class DocumentProcess {
  readonly #documentMs: number
  #child: ChildProcess | undefined

  /** @param documentMs the longest time for one document */
  constructor(documentMs = DOCUMENT_MS) {
    this.#documentMs = documentMs
  }

  /** One request at a time. @throws DrawingEnded, and Error when the process cannot do it */
  async ask(request: DrawRequest): Promise<Uint8Array> {
    this.#child ??= this.#start()
    const child = this.#child
    const late = setTimeout(() => child.kill('SIGKILL'), 'photo' in request ? PHOTO_MS : this.#documentMs)
    const over = new AbortController()
    const end = () => over.abort()
    child.once('exit', end)
    try {
      const answered = once(child, 'message', { signal: over.signal })
      child.send(request)
      const [answer] = (await answered.catch((error: Error) => {
        throw over.signal.aborted ? new DrawingEnded('the process that draws documents ended or took too long') : error
      })) as [DrawAnswer]
      if ('error' in answer) throw new Error(answer.error)
      return answer.bytes
    } finally {
      clearTimeout(late)
      child.off('exit', end)
    }
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (!child) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  #start(): ChildProcess {
    const child = fork(new URL('./draw-process.ts', import.meta.url), [], {
      env: {},
      execArgv: [`--max-old-space-size=${MEMORY_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    // A request that cannot be sent, because the process has ended, ends with 'exit'.
    child.on('error', () => child.kill('SIGKILL'))
    child.once('exit', () => {
      this.#child = undefined
    })
    return child
  }
}
