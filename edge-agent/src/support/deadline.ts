export interface Deadline {
  cancel(): void
  /** begins the time anew */
  restart(): void
}

/**
 * Calls `expire` after `ms`, but after the answers that have arrived by then: a process that stood still, or got no CPU, would otherwise
 * miss an answer that is there.
 */
export function deadline(ms: number, expire: () => void): Deadline {
  let pending: NodeJS.Immediate | undefined
  // Timers run before I/O in Node's event loop, immediates after it.
  const timer = setTimeout(() => {
    pending = setImmediate(expire)
  }, ms)
  return {
    cancel() {
      clearTimeout(timer)
      clearImmediate(pending)
    },
    restart() {
      clearImmediate(pending)
      timer.refresh()
    },
  }
}
