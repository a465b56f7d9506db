import { createHash } from 'node:crypto'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { LANGUAGES } from '@haltless/protocol/languages'
import type { Plugin } from 'vite'

const I18N = path.join(import.meta.dirname, '../src/i18n')
const load = async (language: string, file: string): Promise<Record<string, object>> =>
  import(pathToFileURL(path.join(I18N, language, file)).href)

/** The texts of a language: what the sign-in needs, what the pages behind it need, and what neither waits for. */
async function partsOf(language: string) {
  const [base, app, refusals] = await Promise.all(['base.ts', 'app.ts', 'refusals.ts'].map((file) => load(language, file)))
  const faults =
    language === 'en' ? (await import('@haltless/protocol/faults')).FAULT_TEXTS : (await load(language, 'faults.ts')).faults
  return {
    base: base?.[language],
    all: { ...app?.[language], ...base?.[language] },
    later: { refusals: refusals?.[language], faults },
  }
}

/** Writes the texts as data, one file for each part, so that no page loads a script for its language; `CATALOGUES` has their addresses. */
export function catalogues(): Plugin {
  const files: { fileName: string; source: string }[] = []
  return {
    name: 'haltless-catalogues',
    apply: 'build',
    async config() {
      files.length = 0
      const addresses: Record<string, Record<string, string>> = {}
      for (const language of LANGUAGES) {
        addresses[language] = {}
        for (const [part, texts] of Object.entries(await partsOf(language))) {
          const source = JSON.stringify(texts)
          const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8)
          const fileName = `assets/${language}-${part}-${hash}.json`
          files.push({ fileName, source })
          addresses[language][part] = `/${fileName}`
        }
      }
      return { define: { CATALOGUES: JSON.stringify(addresses) } }
    },
    generateBundle() {
      for (const file of files) this.emitFile({ type: 'asset', ...file })
    },
  }
}
