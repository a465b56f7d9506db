import { Unavailable } from '../../../support/errors.ts'
import { Turns } from '../../../support/turns.ts'

export interface DrawingLimits {
  /** certificates that are drawn at once; a tenant has one of them */
  slots: number
  /** longest wait for a slot, ms */
  waitMs: number
  /** how long a client waits for a certificate that is being drawn, ms; it then gets 503 and asks again */
  patienceMs: number
  /** bytes of certificates that are kept; the newest is kept whatever its size */
  keptBytes: number
  /** how long a certificate is kept, ms */
  keptMs: number
}

const LIMITS: DrawingLimits = { slots: 2, waitMs: 150_000, patienceMs: 45_000, keptBytes: 64_000_000, keptMs: 900_000 }
/** Certificates of a tenant that may wait. */
const WAITING = 5
/** Failures that wait for their next client, as long as a certificate is kept. */
const MAX_FAILURES = 100

interface Drawing {
  result: Promise<Buffer>
  clients: number
  /** settles when the drawing begins or is refused */
  begun: Promise<void>
  /** aborted when the last client leaves before the drawing begins */
  abandoned: AbortController
  hasBegun: boolean
}

/**
 * The certificates that are being drawn, and those that were drawn lately. A certificate is drawn once for all clients that want it. A
 * drawing that has begun goes on to its end without clients, and one that no client waits for never begins.
 */
export class Drawings {
  readonly #limits: DrawingLimits
  readonly #turns: Turns
  readonly #underWay = new Map<string, Drawing>()
  /** oldest first */
  readonly #kept = new Map<string, { pdf: Buffer; at: number }>()
  readonly #failures = new Map<string, { error: unknown; at: number }>()

  constructor(limits: Partial<DrawingLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    const { slots, waitMs } = this.#limits
    const refusal = () =>
      new Unavailable('certificates_waiting', 'Many certificates are being drawn; try again in a few seconds.')
    this.#turns = new Turns({ slots, perTenant: 1, waitingPerTenant: WAITING, waitMs, refusal })
  }

  /**
   * @param key identifies the content of the certificate
   * @param signal aborted when the client leaves
   * @throws Unavailable; what `draw` throws
   */
  async get(key: string, tenantId: string, signal: AbortSignal, draw: () => Promise<Buffer>): Promise<Buffer> {
    this.#removeExpired()
    const kept = this.#kept.get(key)
    if (kept) return kept.pdf
    const failure = this.#failures.get(key)
    if (failure) {
      this.#failures.delete(key)
      throw failure.error
    }
    const drawing = this.#underWay.get(key) ?? this.#start(key, tenantId, draw)
    drawing.clients++
    try {
      return await this.#awaitResult(drawing, signal)
    } finally {
      drawing.clients--
      if (drawing.clients === 0 && !drawing.hasBegun) {
        drawing.abandoned.abort()
        this.#underWay.delete(key)
      }
    }
  }

  #start(key: string, tenantId: string, draw: () => Promise<Buffer>): Drawing {
    const abandoned = new AbortController()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const work = () => {
      drawing.hasBegun = true
      begin()
      return draw()
    }
    const result = this.#turns.run(tenantId, work, abandoned.signal)
    const drawing: Drawing = { result, begun, abandoned, clients: 0, hasBegun: false }
    this.#underWay.set(key, drawing)
    result
      .then(
        (pdf) => this.#keep(key, pdf),
        (error) => {
          if (drawing.hasBegun && drawing.clients === 0 && this.#failures.size < MAX_FAILURES)
            this.#failures.set(key, { error, at: performance.now() })
        },
      )
      .finally(() => {
        begin()
        if (this.#underWay.get(key) === drawing) this.#underWay.delete(key)
      })
    return drawing
  }

  async #awaitResult({ begun, result }: Drawing, signal: AbortSignal): Promise<Buffer> {
    const { promise: given, reject: giveUp } = Promise.withResolvers<never>()
    const underWay = () =>
      giveUp(
        new Unavailable('certificate_under_way', 'The certificate is long and is being drawn; ask again in a few seconds.', 10),
      )
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    begun.then(() => {
      if (!isOver) timer = setTimeout(underWay, this.#limits.patienceMs)
    })
    signal.addEventListener('abort', underWay, { once: true })
    if (signal.aborted) underWay()
    try {
      return await Promise.race([result, given])
    } finally {
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', underWay)
    }
  }

  #keep(key: string, pdf: Buffer): void {
    this.#kept.set(key, { pdf, at: performance.now() })
    let bytes = [...this.#kept.values()].reduce((sum, kept) => sum + kept.pdf.length, 0)
    for (const [oldest, kept] of this.#kept) {
      if (bytes <= this.#limits.keptBytes || oldest === key) return
      this.#kept.delete(oldest)
      bytes -= kept.pdf.length
    }
  }

  #removeExpired(): void {
    const before = performance.now() - this.#limits.keptMs
    for (const [key, { at }] of this.#kept) if (at <= before) this.#kept.delete(key)
    for (const [key, { at }] of this.#failures) if (at <= before) this.#failures.delete(key)
  }
}
