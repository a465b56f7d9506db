import { setImmediate } from 'node:timers/promises'

/** How long a page may occupy the thread at a time: the hub serves everybody else meanwhile. */
const TURN_MS = 10

/** Makes a part of a page of each item. After 10 ms other work of the hub has its turn. */
export async function inTurns<T, U>(items: readonly T[], make: (item: T) => U): Promise<U[]> {
  const made: U[] = []
  let since = performance.now()
  for (const item of items) {
    made.push(make(item))
    if (performance.now() - since < TURN_MS) continue
    await setImmediate()
    since = performance.now()
  }
  return made
}
