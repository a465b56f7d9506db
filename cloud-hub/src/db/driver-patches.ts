import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { patchSource, readPatches } from './patch-source.ts'

/**
 * Importing this file patches the PostgreSQL driver as Node loads it, so it comes before every import of `postgres`. The patches are in
 * `cloud-hub/patches/postgres`, each with its symptom, its upstream issue and its test (decision 9).
 */
const patches = readPatches(path.resolve(import.meta.dirname, '../../patches/postgres'))
const FILE = new RegExp(`/node_modules/${patches.package}/(src/[a-z]+\\.js)$`)

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const file = FILE.exec(url)?.[1] ?? ''
    if (!patches.sha256[file]) return loaded
    const { version } = JSON.parse(readFileSync(new URL('../package.json', url), 'utf8')) as { version: string }
    const source = Buffer.from(loaded.source as Uint8Array).toString('utf8')
    return { ...loaded, source: patchSource(patches, { file, version, source }) }
  },
})
