/** Took longer than it may; what was begun goes on and nobody waits for it. */
export class TooSlow extends Error {}

/** The result of the work, or TooSlow when there is none after `ms`. */
export async function within<T>(ms: number, work: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooSlow(`no result within ${Math.round(ms)} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
