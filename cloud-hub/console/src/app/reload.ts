import { keep, kept } from '../api/storage.ts'

const RELOADED_KEY = 'haltless.reloaded'
/** A file that is missing right after a reload is not of an older version. */
const PAUSE_MS = 60_000

let reloads = false

/** An update of the hub replaces the files of the console. A page that was open before loads itself again when it misses one. */
export function reloadForNewFiles(): void {
  addEventListener('vite:preloadError', () => {
    const last = Number(kept(RELOADED_KEY, 'session') ?? 0)
    if (!navigator.onLine || Date.now() - last < PAUSE_MS) return
    keep(RELOADED_KEY, String(Date.now()), 'session')
    reloads = true
    location.reload()
  })
}

/** For `catch` of an import: what is shown stays until the page loads itself again, instead of an error in its last moment. */
export const untilReload = (error: unknown): Promise<never> => (reloads ? new Promise(() => {}) : Promise.reject(error))

/** For React: logs what a boundary has caught, except a missing file for which the page loads itself again. */
export const logCaughtError = (error: unknown): void => {
  if (!reloads) console.error(error)
}
