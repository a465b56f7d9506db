/** The work took longer than its time limit. It goes on in the background, and its result is ignored. */
export class TimeoutError extends Error {}

/** @returns the result of the work @throws TimeoutError when the work has not ended after `ms` */
export async function withTimeout<T>(ms: number, work: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`no result within ${Math.round(ms)} ms`)), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
