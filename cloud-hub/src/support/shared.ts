/**
 * Callers that come while the work is under way share its result, and so do those that come within `keepMs` after it ended; the next one
 * starts it anew. A failure is shared by those who wait for it, and not kept.
 */
export function shared<T>(work: () => Promise<T>, keepMs = 0): () => Promise<T> {
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
