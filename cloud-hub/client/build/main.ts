// npm run build: makes cloud-hub/client/dist, the client as JavaScript with its types: a package that needs no other.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const root = path.join(import.meta.dirname, '..')
const dist = path.join(root, 'dist')

if (process.argv.includes('--help')) {
  process.stdout.write(`Usage: npm run build
Makes cloud-hub/client/dist, the client as JavaScript with its types. \`npm pack ./cloud-hub/client/dist\` packs it.
`)
  process.exit(0)
}

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
// Node 20 and browsers of the console
await build({
  entryPoints: [path.join(root, 'src/index.ts')],
  outfile: path.join(dist, 'index.js'),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
})
execFileSync('tsc', ['-b', root], { stdio: 'inherit' })
const types = path.join(root, '../../.tsc/client/src')
// declarations of the compiler name the sources
const named = (text: string) => text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'").replace(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"')
for (const file of readdirSync(types).filter((name) => name.endsWith('.d.ts')))
  writeFileSync(path.join(dist, file), named(readFileSync(path.join(types, file), 'utf8')))
writeFileSync(path.join(dist, 'schema.d.ts'), readFileSync(path.join(root, 'src/schema.d.ts')))
cpSync(path.join(root, 'README.md'), path.join(dist, 'README.md'))
const { name, version, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const entry = { types: './index.d.ts', default: './index.js' }
const exported = { '.': entry, './schema': { types: './schema.d.ts' } }
const written = { name, version, license, type: 'module', exports: exported, engines: { node: '>=20' }, sideEffects: false }
writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify(written, null, 2)}\n`)
