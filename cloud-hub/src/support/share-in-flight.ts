/**
 * Callers share the result of a call in flight, and of one that succeeded less than `keepMs` ago; otherwise a call starts `work` again.
 * A failure reaches the callers that wait for it and is not cached.
 */
export function shareInFlight<T>(work: () => Promise<T>, keepMs = 0): () => Promise<T> {
  let running: Promise<T> | null = null
  let keptUntil = 0
  return () => {
    if (running && keptUntil > 0 && performance.now() >= keptUntil) running = null
    if (running) return running
    keptUntil = 0
    const started = work()
    running = started
    const forget = () => {
      if (running === started) running = null
    }
    started.then(() => {
      if (keepMs > 0) keptUntil = performance.now() + keepMs
      else forget()
    }, forget)
    return started
  }
}
