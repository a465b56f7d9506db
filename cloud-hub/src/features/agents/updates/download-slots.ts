import { Readable } from 'node:stream'
import type { TenantScope } from '../../../db/scope.ts'
import { Unavailable } from '../../../support/errors.ts'
import { Turns } from '../../../support/turns.ts'

export interface DownloadLimits {
  /** downloads of all tenants at once */
  all: number
  /** those of one tenant: slow lines of one plant leave room for the others */
  perTenant: number
  /** a download from which nothing is read for longer is ended, ms; the buffers of a connection last 10 minutes at the slowest rate of an agent */
  silenceMs: number
  /** longest wait for a slot, ms */
  waitMs: number
}

const LIMITS: DownloadLimits = { all: 20, perTenant: 10, silenceMs: 1_200_000, waitMs: 20_000 }
/** Agents of a tenant that may wait; more of them try again later. */
const WAITING = 20

/** The downloads under way on this hub. An archive is some 35 MB. Tenants take turns. */
export class DownloadSlots {
  readonly #limits: DownloadLimits
  readonly #turns: Turns
  /** by tenant and agent */
  readonly #downloads = new Map<string, Readable>()

  constructor(limits: DownloadLimits = LIMITS) {
    this.#limits = limits
    const { all, perTenant, waitMs } = limits
    const refusal = () => new Unavailable('downloads_busy', 'Too many agents download at once; try again later.', 30)
    this.#turns = new Turns({ slots: all, perTenant, waitingPerTenant: WAITING, waitMs, refusal })
  }

  /**
   * Streams to an agent. It has one slot: it asks again when its connection was cut, which the hub may learn much later, so its new download ends the
   * one before.
   * @param signal aborted when the agent leaves
   * @throws Unavailable when too many download for longer than it waits
   */
  async stream(
    { tenantId }: Pick<TenantScope, 'tenantId'>,
    agentId: string,
    pieces: AsyncIterable<Buffer>,
    signal?: AbortSignal,
  ): Promise<Readable> {
    const key = `${tenantId} ${agentId}`
    this.#downloads.get(key)?.destroy()
    const release = await this.#turns.acquire(tenantId, signal)
    // Another request of the agent may have waited, too.
    this.#downloads.get(key)?.destroy()
    const silence = setTimeout(() => body.destroy(), this.#limits.silenceMs).unref()
    const body = Readable.from(refreshing(silence, pieces), { objectMode: false })
    this.#downloads.set(key, body)
    body.once('close', () => {
      clearTimeout(silence)
      release()
      if (this.#downloads.get(key) === body) this.#downloads.delete(key)
    })
    return body
  }
}

async function* refreshing(silence: NodeJS.Timeout, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    silence.refresh()
    yield piece
  }
}
