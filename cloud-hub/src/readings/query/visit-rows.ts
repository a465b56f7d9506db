import { setImmediate } from 'node:timers/promises'
import type { PendingQuery } from 'postgres'

/** Bytes that wait to be decoded. Beyond them rows are decoded as they arrive, so memory stays bounded for any range. */
const MAX_WAITING_BYTES = 4 * 2 ** 20
/** Other requests run after this time, which is about one block. */
const SLICE_MS = 0.5

/** Visits the rows of a statement in their order, and yields to the event loop in between. */
export async function visitRows<T extends object>(query: PendingQuery<T[]>, visit: (part: T) => void): Promise<void> {
  const waiting = new WaitingRows(visit)
  // an error that the callback throws would break the connection
  await query.forEach((row) => {
    waiting.add(row as T)
  })
  for (let sliceEnd = performance.now() + SLICE_MS; waiting.visitNext(); ) {
    if (performance.now() < sliceEnd) continue
    await setImmediate()
    sliceEnd = performance.now() + SLICE_MS
  }
}

class WaitingRows<T extends object> {
  readonly #visit: (part: T) => void
  #parts: (T | undefined)[] = []
  #next = 0
  #bytes = 0
  #failure: { error: unknown } | null = null

  constructor(visit: (part: T) => void) {
    this.#visit = visit
  }

  /** Visits waiting rows when there are too many. It never throws: {@link visitNext} throws the error. */
  add(part: T): void {
    if (this.#failure) return
    this.#parts.push(part)
    this.#bytes += sizeOf(part)
    try {
      while (this.#bytes > MAX_WAITING_BYTES) this.visitNext()
    } catch (error) {
      this.#failure = { error }
    }
  }

  /** @returns false after the last row */
  visitNext(): boolean {
    if (this.#failure) throw this.#failure.error
    const part = this.#parts[this.#next]
    if (!part) return false
    this.#parts[this.#next++] = undefined
    this.#bytes -= sizeOf(part)
    this.#visit(part)
    return true
  }
}

const sizeOf = (row: object): number => {
  let bytes = 0
  for (const value of Object.values(row)) if (value instanceof Uint8Array) bytes += value.length
  return bytes
}
