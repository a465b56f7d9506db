import { existsSync, statSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')

/** A quoted name of a source file, such as 'edge-agent/src/main.ts' or './parse-worker.ts'. */
const SOURCE_NAME = /(['"])([\w./-]+\.tsx?)\1/g

/** The source files of the repository that a module names in quotes: from the root, or from the folder of the module. */
export function namedSources(code: string, id: string): string[] {
  const names = new Set(Array.from(code.matchAll(SOURCE_NAME), ([, , name = '']) => name))
  const files = [...names].flatMap((name) => [path.join(root, name), path.join(path.dirname(id), name)])
  return files.filter((file) => file !== id && existsSync(file) && statSync(file).isFile())
}

/**
 * A plugin for vitest. A test that starts a program names its file and does not import it, so `--changed` would not select the test when
 * the program changes. The plugin adds an import of each named source file, in a function that nothing calls.
 */
export const importStartedPrograms = {
  name: 'import-started-programs',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!id.startsWith(root) || id.includes('/node_modules/') || !/\.tsx?$/.test(id)) return
    const imports = namedSources(code, id).map((file) => `\n;() => import(${JSON.stringify(file)})`)
    return imports.length > 0 ? { code: code + imports.join(''), map: null } : undefined
  },
}
