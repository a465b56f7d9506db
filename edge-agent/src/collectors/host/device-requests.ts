import type { SourceBrowseAnswer } from '@haltless/protocol'
import type { ProbeResult } from '../collector.ts'
import type { HostProcess } from './host-process.ts'

type DeviceAnswer = SourceBrowseAnswer | ProbeResult

/** Requests of people to devices that child processes have not answered yet. */
export class DeviceRequests {
  readonly #waiting = new Map<number, { child: HostProcess; resolve(answer: DeviceAnswer | null): void }>()

  /** @param seq pairs it with its answer @returns null when the process ends before its answer */
  add<Answer extends DeviceAnswer>(seq: number, child: HostProcess): Promise<Answer | null> {
    return new Promise((resolve) => {
      this.#waiting.set(seq, { child, resolve: (answer) => resolve(answer as Answer | null) })
    })
  }

  answer(seq: number, answer: DeviceAnswer | null): void {
    const waiting = this.#waiting.get(seq)
    this.#waiting.delete(seq)
    waiting?.resolve(answer)
  }

  /** The process is gone. */
  fail(child: HostProcess): void {
    for (const [seq, waiting] of this.#waiting) if (waiting.child === child) this.answer(seq, null)
  }

  hasAny(child: HostProcess | null): boolean {
    return [...this.#waiting.values()].some((waiting) => waiting.child === child)
  }
}
