/**
 * Combines concurrent lookups into batches. A key that arrives while a batch is loading joins the next one; without a running batch it
 * loads at once. A value is always loaded after its caller requested it.
 * @param load returns the values in the order of the keys; when it fails, every caller of the batch gets the error
 * @param maxBatch keys per batch
 */
export function batchLoader<K, V>(load: (keys: readonly K[]) => Promise<readonly V[]>, maxBatch = 200): (key: K) => Promise<V> {
  let waiting: { key: K; resolve(value: V): void; reject(error: unknown): void }[] = []
  let isLoading = false

  async function loadAll(): Promise<void> {
    isLoading = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch)
      waiting = waiting.slice(maxBatch)
      try {
        const values = await load(batch.map(({ key }) => key))
        batch.forEach(({ resolve }, i) => {
          resolve(values[i] as V)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isLoading = false
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      // Callers of the same event loop turn share the first batch.
      if (!isLoading) {
        isLoading = true
        process.nextTick(loadAll)
      }
    })
}
