/**
 * One question to the server for all that is asked while the one before is under way: a lone caller waits for nothing, a crowd shares the round trips.
 * Every answer was asked for after its caller had come.
 * @param ask answers in the order of the keys; its failure is the failure of all who share it
 * @param most keys of one question
 */
export function gathered<K, V>(ask: (keys: readonly K[]) => Promise<readonly V[]>, most = 200): (key: K) => Promise<V> {
  let waiting: { key: K; resolve(value: V): void; reject(error: unknown): void }[] = []
  let isAsking = false

  async function askAll(): Promise<void> {
    isAsking = true
    while (waiting.length > 0) {
      const asked = waiting.slice(0, most)
      waiting = waiting.slice(most)
      try {
        const answers = await ask(asked.map(({ key }) => key))
        asked.forEach(({ resolve }, i) => {
          resolve(answers[i] as V)
        })
      } catch (error) {
        for (const { reject } of asked) reject(error)
      }
    }
    isAsking = false
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      // those who come in the same turn go with the first
      if (!isAsking) {
        isAsking = true
        process.nextTick(askAll)
      }
    })
}
