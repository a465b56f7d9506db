import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const source = path.resolve(import.meta.dirname, '..')

/** How often Node resolves each import of drizzle-orm in a process that loads the API's document and imports `first` before it. */
function resolutions(first: string): Record<string, number> {
  const program = `
    import { registerHooks } from 'node:module'
    const counts = {}
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.startsWith('drizzle-orm')) counts[specifier] = (counts[specifier] ?? 0) + 1
      return next(specifier, context)
    } })
    await import(${JSON.stringify(path.join(source, 'db/driver-patches.ts'))})
    await import(${JSON.stringify(first)})
    await import(${JSON.stringify(path.join(source, 'app.ts'))})
    console.log(JSON.stringify(counts))`
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }))
}

it('all files that import drizzle-orm cost one resolution for each of its names', () => {
  expect(Object.values(resolutions('node:path')).some((count) => count > 10)).toBe(true)
  expect(new Set(Object.values(resolutions(path.join(source, 'db/drizzle-loading.ts'))))).toEqual(new Set([1]))
})

it('the sealing thread imports it before the modules that need drizzle-orm', () => {
  const entry = readFileSync(path.join(source, 'readings/seal/seal-thread.ts'), 'utf8')
  expect(entry.indexOf("db/drizzle-loading.ts'")).toBeGreaterThan(0)
  expect(entry.indexOf("db/drizzle-loading.ts'")).toBeLessThan(entry.indexOf("import('./serve-thread.ts')"))
})
