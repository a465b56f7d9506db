/** How many calls may wait, and the error that further calls get. */
interface Queue {
  max: number
  refusal: () => Error
}

/**
 * Runs at most `max` calls at once; further calls wait in order of arrival. With `queue`, only `queue.max` calls wait.
 * @throws what `queue.refusal` returns, when the queue is full
 */
export function concurrencyLimit(max: number, queue?: Queue): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= max) {
      if (queue && waiting.length >= queue.max) throw queue.refusal()
      await new Promise<void>((go) => waiting.push(go))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
