import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { NODEW, root, surroundings } from '../processes.ts'

/** Builds a page of one script with the console's compression. */
async function build(script: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'haltless-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const plugin = path.join(root, 'cloud-hub/console/build/compress-files.ts')
  const files = {
    'vite.config.mjs': `import { compressFiles } from ${JSON.stringify(plugin)}\nexport default { plugins: [compressFiles()] }\n`,
    'index.html': '<!doctype html><script type="module" src="/main.js"></script>\n',
    'main.js': script,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  const vite = path.join(root, 'node_modules/vite/bin/vite.js')
  return new Promise<{ code: number; err: string; has(file: string): boolean }>((done) =>
    execFile(NODEW, [vite, 'build', folder], { env: surroundings() }, (error, _out, err) =>
      done({ code: Number(error?.code ?? 0), err, has: (file) => existsSync(path.join(folder, 'dist', file)) }),
    ),
  )
}

it('the build of the console writes compressed files', async () => {
  const { code, has } = await build('document.title = "ok"\n')
  expect([code, has('index.html.br'), has('index.html.gz')]).toEqual([0, true, true])
})

it('a build of the console that fails ends with an error that names the reason', async () => {
  const { code, err } = await build('import "./missing.js"\n')
  expect(code).toBe(1)
  expect(err).toContain('./missing.js')
  expect(err).not.toContain('ENOENT')
})
