import { readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'

/** Where `install/nodew` lets Node keep compiled code. A folder that NODE_COMPILE_CACHE names instead belongs to the person who set it. */
const CACHE_DIR = path.join(import.meta.dirname, '../../../node_modules/.cache/node')

/** Some four times what all commands and tests of one state of the code need. */
const MAX_BYTES = 128 * 1_048_576

/**
 * Bounds the compile cache: Node adds an entry for each path and never removes one. It removes the folders of other Node versions, and
 * the oldest entries until half of the maximum is left. Other processes may read and write meanwhile: a lost entry is compiled again.
 */
export function pruneCompileCache({ dir = CACHE_DIR, maxBytes = MAX_BYTES } = {}): void {
  const own = `${process.version}-${process.arch}-`
  const entries: { file: string; bytes: number; writtenAt: number }[] = []
  for (const folder of namesIn(dir)) {
    if (!folder.startsWith(own)) rmSync(path.join(dir, folder), { recursive: true, force: true })
    else
      for (const name of namesIn(path.join(dir, folder))) {
        const file = path.join(dir, folder, name)
        const stat = statSync(file, { throwIfNoEntry: false })
        if (stat) entries.push({ file, bytes: stat.size, writtenAt: stat.mtimeMs })
      }
  }
  let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  if (bytes <= maxBytes) return
  for (const entry of entries.sort((a, b) => a.writtenAt - b.writtenAt)) {
    if (bytes <= maxBytes / 2) return
    rmSync(entry.file, { force: true })
    bytes -= entry.bytes
  }
}

/** Empty for a folder that another process has removed. */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
