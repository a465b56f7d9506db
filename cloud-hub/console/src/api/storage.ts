/** What the page keeps where a browser refuses storage, as some do in private windows or by policy: until it is closed. */
const instead = new Map<string, string>()

function storageOf(kind: 'local' | 'session'): Storage | null {
  try {
    return kind === 'local' ? localStorage : sessionStorage
  } catch {
    return null
  }
}

/** The text that is kept under a key, or null. */
export function kept(key: string, kind: 'local' | 'session' = 'local'): string | null {
  return instead.get(key) ?? storageOf(kind)?.getItem(key) ?? null
}

/** Keeps a text under a key; null removes it. */
export function keep(key: string, text: string | null, kind: 'local' | 'session' = 'local'): void {
  const storage = storageOf(kind)
  try {
    if (text === null) storage?.removeItem(key)
    else if (storage) storage.setItem(key, text)
    else throw new Error('There is no storage.')
    instead.delete(key)
  } catch {
    // refused, or full: what was kept before must not come back
    try {
      storage?.removeItem(key)
    } catch {}
    if (text === null) instead.delete(key)
    else instead.set(key, text)
  }
}

/** The keys of this browser that begin so. */
export function keptKeys(prefix: string): string[] {
  const storage = storageOf('local')
  const all = Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index) ?? '')
  return [...new Set([...all, ...instead.keys()])].filter((key) => key.startsWith(prefix))
}
