/** Requests that may have changed something, since `stale-queries.ts` looked. */
let noted: (readonly [method: string, path: string])[] = []

/** Notes a request when its answer came, or none. A refused one counts: what a page shows may be the reason. */
export function noteRequest(method: string, path: string): void {
  if (method !== 'GET') noted.push([method, path])
}

export function takeChanges(): typeof noted {
  const taken = noted
  noted = []
  return taken
}
