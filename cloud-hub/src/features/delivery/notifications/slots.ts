/** Limits of deliveries under way: in this process, per tenant and per channel. A slow receiver delays only its own channel. */
const MAX_DELIVERIES = 256
export const MAX_PER_TENANT = 16
export const MAX_PER_CHANNEL = 4
/** Mails under way: all tenants share one mail server, and a mail in its queue may not outlast the lease. */
const MAX_MAILS = 8
/** A slow attempt gives up its slot in the process and in the tenant, but not in the channel; this is their limit. */
const MAX_SLOW = 1_024

/** One delivery under way. */
export interface Slot {
  /** gives the slot to others while the delivery goes on. @returns whether others may have waited for it */
  yield(): boolean
  /** the delivery has ended. @returns whether others may have waited for it */
  release(): boolean
}

/** Counts the deliveries under way against the limits of the process, each tenant and each channel. */
export class Slots {
  #deliveries = 0
  #slow = 0
  #mails = 0
  readonly #tenants = new Tally()
  readonly #channels = new Tally()

  get free(): number {
    return MAX_DELIVERIES - this.#deliveries
  }

  get freeMails(): number {
    return MAX_MAILS - this.#mails
  }

  /** The channels and tenants that have reached their limit. */
  get full(): { channels: string[]; tenants: string[] } {
    return { channels: this.#channels.atLeast(MAX_PER_CHANNEL), tenants: this.#tenants.atLeast(MAX_PER_TENANT) }
  }

  freeOfTenant(tenantId: string): number {
    return Math.min(this.free, MAX_PER_TENANT - this.#tenants.count(tenantId))
  }

  freeOfChannel(channelId: string): number {
    return MAX_PER_CHANNEL - this.#channels.count(channelId)
  }

  acquire(tenantId: string, channelId: string, isMail: boolean): Slot {
    const count = (n: 1 | -1) => {
      this.#deliveries += n
      this.#tenants.add(tenantId, n)
    }
    const isFull = () => this.freeOfTenant(tenantId) <= 0
    count(1)
    this.#channels.add(channelId, 1)
    if (isMail) this.#mails++
    let isSlow = false
    return {
      yield: () => {
        if (this.#slow >= MAX_SLOW) return false
        isSlow = true
        this.#slow++
        const wasFull = isFull()
        count(-1)
        return wasFull
      },
      release: () => {
        const wasFull = isFull() || this.freeOfChannel(channelId) <= 0 || (isMail && this.freeMails <= 0)
        if (isSlow) this.#slow--
        else count(-1)
        this.#channels.add(channelId, -1)
        if (isMail) this.#mails--
        return wasFull
      },
    }
  }
}

/** Counts by id. */
class Tally {
  readonly #counts = new Map<string, number>()

  count(id: string): number {
    return this.#counts.get(id) ?? 0
  }

  add(id: string, n: 1 | -1): void {
    if (this.count(id) + n > 0) this.#counts.set(id, this.count(id) + n)
    else this.#counts.delete(id)
  }

  atLeast(limit: number): string[] {
    return [...this.#counts].filter(([, n]) => n >= limit).map(([id]) => id)
  }
}
