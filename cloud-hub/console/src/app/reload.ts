const RELOADED_KEY = 'haltless.reloaded'
/** A file that is missing right after a reload is not of an older version. */
const PAUSE_MS = 60_000

/** An update of the hub replaces the files of the console. A page that was open before loads itself again when it misses one. */
export function reloadForNewFiles(): void {
  addEventListener('vite:preloadError', () => {
    const last = Number(sessionStorage.getItem(RELOADED_KEY) ?? 0)
    if (!navigator.onLine || Date.now() - last < PAUSE_MS) return
    sessionStorage.setItem(RELOADED_KEY, String(Date.now()))
    location.reload()
  })
}
