import { Readable } from 'node:stream'
import type { TenantScope } from '../../../db/scope.ts'
import { Unavailable } from '../../../support/errors.ts'

export interface DownloadLimits {
  /** downloads of all tenants at once */
  all: number
  /** those of one tenant: slow lines of one plant leave room for the others */
  perTenant: number
  /** a download from which nothing is read for longer is ended, ms; the buffers of a connection last 10 minutes at the slowest rate of an agent */
  silenceMs: number
}

const LIMITS: DownloadLimits = { all: 20, perTenant: 10, silenceMs: 1_200_000 }

interface Download {
  tenantId: string
  body: Readable
}

/** The downloads under way on this hub. An archive is some 35 MB. */
export class DownloadSlots {
  readonly #limits: DownloadLimits
  readonly #downloads = new Map<string, Download>()

  constructor(limits: DownloadLimits = LIMITS) {
    this.#limits = limits
  }

  /**
   * Streams to an agent. It has one slot: it asks again when its connection was cut, which the hub may learn much later, so its new download ends the
   * one before.
   * @throws Unavailable when too many download
   */
  stream({ tenantId }: Pick<TenantScope, 'tenantId'>, agentId: string, pieces: AsyncIterable<Buffer>): Readable {
    const key = `${tenantId} ${agentId}`
    const others = [...this.#downloads].filter(([other]) => other !== key)
    const ofTenant = others.filter(([, download]) => download.tenantId === tenantId)
    if (others.length >= this.#limits.all || ofTenant.length >= this.#limits.perTenant)
      throw new Unavailable('downloads_busy', 'Too many agents download at once; try again later.', 30)
    this.#downloads.get(key)?.body.destroy()
    const silence = setTimeout(() => body.destroy(), this.#limits.silenceMs).unref()
    const body = Readable.from(refreshing(silence, pieces), { objectMode: false })
    const download = { tenantId, body }
    this.#downloads.set(key, download)
    body.once('close', () => {
      clearTimeout(silence)
      if (this.#downloads.get(key) === download) this.#downloads.delete(key)
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
