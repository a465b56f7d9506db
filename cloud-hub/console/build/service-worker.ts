import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'

const SOURCE = path.join(import.meta.dirname, 'service-worker.js')
const PUBLIC = path.join(import.meta.dirname, '../public')

/** Letters that few pages have. The browser keeps the font itself once a page has needed it. */
const RARE = /latin-ext/

/** Writes `sw.js`: the worker's source after the list of all files of this build, which names its cache too. */
export function serviceWorker(): Plugin {
  return {
    name: 'haltless-service-worker',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const source = readFileSync(SOURCE, 'utf8')
        const built = Object.values(bundle)
        const files = [
          ...built.map(({ fileName }) => `/${fileName}`).filter((name) => name.startsWith('/assets/') && !RARE.test(name)),
          ...readdirSync(PUBLIC).map((name) => `/${name}`),
        ].sort()
        const hash = createHash('sha256').update(source)
        for (const it of built) hash.update(it.fileName).update(it.type === 'chunk' ? it.code : it.source)
        const version = hash.digest('hex').slice(0, 16)
        const head = `const FILES = ${JSON.stringify(['/index.html', ...files])}\nconst CACHE = 'haltless-${version}'\n`
        this.emitFile({ type: 'asset', fileName: 'sw.js', source: head + source })
      },
    },
  }
}
