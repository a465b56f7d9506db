/** The machines whose readings the pages of this tab show. */
export interface MachinesInView {
  machineIds(): readonly string[]
  /** @returns a function that ends it */
  follow(listener: () => void): () => void
}

/** What tabs tell each other. */
export interface ViewMessage {
  kind: 'view'
  tab: string
  machineIds: readonly string[]
}

/** `readings_of` of `GET /stream` names at most so many. */
const MAX_MACHINES = 200

/** The machines in view of all tabs of a session: one of the tabs reads the stream for all of them. */
export class SharedView {
  // not `crypto.randomUUID`, which plain HTTP lacks
  readonly #tab = Math.random().toString(36).slice(2)
  readonly #own: MachinesInView
  readonly #others = new Map<string, readonly string[]>()
  readonly #listeners = new Set<() => void>()
  readonly #send: (message: ViewMessage) => void

  /** @param signal ends it, as the closing of the tab does */
  constructor(own: MachinesInView, send: (message: ViewMessage) => void, signal: AbortSignal) {
    this.#own = own
    this.#send = send
    const unfollow = own.follow(() => {
      this.announce()
      this.#changed()
    })
    signal.addEventListener('abort', unfollow)
    addEventListener('pagehide', () => this.leave(), { signal })
    addEventListener('pageshow', () => this.announce(), { signal })
  }

  /** Tells the other tabs what this one shows. */
  announce(): void {
    this.#send({ kind: 'view', tab: this.#tab, machineIds: this.#own.machineIds() })
  }

  leave(): void {
    this.#send({ kind: 'view', tab: this.#tab, machineIds: [] })
  }

  receive({ tab, machineIds }: ViewMessage): void {
    if (machineIds.length > 0) this.#others.set(tab, machineIds)
    else this.#others.delete(tab)
    this.#changed()
  }

  /** Those of this tab first. */
  machineIds(): string[] {
    return [...new Set([...this.#own.machineIds(), ...[...this.#others.values()].flat()])].slice(0, MAX_MACHINES)
  }

  follow(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** A page that opens shows its machines one after the other, and one that is scrolled ever others. */
const GROWN_MS = 500
/** Who comes back soon finds the stream as it was. */
const SHRUNK_MS = 5_000

/**
 * Follows what a connection has to send, given what it was opened for.
 * @param on.grown at once when a machine comes into view that the connection does not send
 * @param on.outdated once the connection is to be opened anew, and what is in view has settled
 * @returns a function that ends it
 */
export function followView(view: SharedView, opened: readonly string[], on: { grown(): void; outdated(): void }): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isGrown = false
  let last = ''
  const check = () => {
    const shown = view.machineIds()
    // another tab tells again what is known
    if (shown.join() === last) return
    last = shown.join()
    if (isGrown || shown.some((id) => !opened.includes(id))) {
      clearTimeout(timer)
      timer = setTimeout(on.outdated, GROWN_MS)
      if (!isGrown) on.grown()
      isGrown = true
    } else {
      clearTimeout(timer)
      timer = shown.length < opened.length ? setTimeout(on.outdated, SHRUNK_MS) : undefined
    }
  }
  const unfollow = view.follow(check)
  check()
  return () => {
    clearTimeout(timer)
    unfollow()
  }
}
