import { type ChildProcess, fork } from 'node:child_process'
import { type Fault, fault } from '@haltless/protocol'
import { errorFault } from '../../support/error-message.ts'
import type { FromChild, ToChild } from './messages.ts'

/** Why a child process ended. */
export interface HostEnd {
  /** the collector in whose code it ended; null: unknown, as when the process stood still */
  culprit: number | null
  reason: Fault
}

const END_MS = 5_000
/** node-opcua takes 95 MB, and a server of 10,000 nodes some more. */
const HEAP_MAX_MB = 384
const RSS_MAX_BYTES = 640 * 1024 * 1024
/** Checks of the last sign of life within `silenceMs`. */
const CHECKS = 6

/** What a child gets of the environment: none of its secrets. */
const SURROUNDINGS = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS']

/** The program of a child: beside this file, in the package beside the agent. */
const program = new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './collectors.mjs', import.meta.url)

/** One child process, from its start to its end. */
export class HostProcess {
  readonly #child: ChildProcess
  readonly #timer: NodeJS.Timeout
  readonly #silenceMs: number
  readonly #ready = Promise.withResolvers<void>()
  #heardAt = performance.now()
  #end: HostEnd | null = null
  #isEnded = false

  /**
   * @param library that the process loads
   * @param silenceMs a process that says nothing for so long stands still and is ended
   * @param onEnd called once, when the process is gone
   */
  constructor(library: string, silenceMs: number, onMessage: (message: FromChild) => void, onEnd: (end: HostEnd) => void) {
    this.#silenceMs = silenceMs
    const given = SURROUNDINGS.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
    this.#child = fork(program, [library], {
      env: Object.fromEntries(given),
      execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MAX_MB}`],
      serialization: 'advanced',
      // Libraries of the field bus print at will; the journal is for our own lines.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#timer = setInterval(() => this.#checkSilence(), silenceMs / CHECKS)
    // A child that stands still does not see that its parent is gone.
    const kill = () => void this.#child.kill('SIGKILL')
    process.once('exit', kill)
    const ended = (how: Fault) => {
      if (this.#isEnded) return
      this.#isEnded = true
      clearInterval(this.#timer)
      process.off('exit', kill)
      this.#ready.resolve()
      onEnd(this.#end ?? { culprit: null, reason: how })
    }
    this.#child.on('message', (message: FromChild) => {
      this.#heardAt = performance.now()
      if (message.kind === 'ready') this.#ready.resolve()
      else if (message.kind === 'fault')
        this.#endBecause({ culprit: message.id, reason: fault('unexpected_error', { text: message.error }) })
      else if (message.kind !== 'pulse') onMessage(message)
      else if (message.rssBytes > RSS_MAX_BYTES) this.#kill(fault('process_memory'))
    })
    this.#child.on('exit', (code, signal) => {
      const how = signal ? fault('process_ended_by_signal', { signal }) : fault('process_exit_code', { code: String(code) })
      // Its last messages, such as the fault, may still be on their way.
      if (this.#child.connected) this.#child.once('disconnect', () => ended(how))
      else ended(how)
    })
    this.#child.on('error', (error) => ended(errorFault(error)))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Resolves when it has loaded its library, or is gone. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  send(message: ToChild): void {
    // A message to a process that is ending is of no use.
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  /** Ends the process; `onEnd` is called as for any other end. */
  end(): void {
    if (this.#child.connected) this.#child.disconnect()
    // A process that stands still does not see that.
    setTimeout(() => this.#child.kill('SIGKILL'), END_MS).unref()
  }

  #checkSilence(): void {
    // Its messages come first, if this process itself stood still.
    setImmediate(() => {
      if (performance.now() - this.#heardAt > this.#silenceMs) this.#kill(fault('process_stood_still'))
    })
  }

  /** The first reason counts. */
  #endBecause(end: HostEnd): void {
    this.#end ??= end
  }

  #kill(reason: Fault): void {
    this.#endBecause({ culprit: null, reason })
    this.#child.kill('SIGKILL')
  }
}
