/** How long the queue of `limited` may grow, and what the next one gets. */
interface Queue {
  most: number
  refusal: () => Error
}

/** Lets so many run at once; the others wait for their turn. With `queue`, only so many wait. @throws what `queue.refusal` makes */
export function limited(most: number, queue?: Queue): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= most) {
      if (queue && waiting.length >= queue.most) throw queue.refusal()
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
