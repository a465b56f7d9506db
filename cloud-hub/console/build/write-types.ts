// npm run console:types: writes the types, enums and limits of /api/v1 from the OpenAPI document, for the client and the console. Installs its tools, for which it needs the package registry.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { apiValues } from './api-values.ts'

const API = path.join(import.meta.dirname, '../src/api')
const CLIENT = path.join(import.meta.dirname, '../../client/src')
const TARGET = path.join(CLIENT, 'schema.d.ts')
// openapi-typescript needs the compiler's JavaScript API, which TypeScript 7 does not have: it has a lockfile of its own
const TOOLS = path.join(import.meta.dirname, 'openapi-typescript')

if (process.argv.includes('--help')) {
  process.stdout.write(`Usage: npm run console:types
Writes the types, enums and limits of the API for the client and the console from the OpenAPI document. It installs its tools from the package registry.
`)
  process.exit(0)
}

execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
  cwd: TOOLS,
  stdio: ['ignore', 'ignore', 'inherit'],
})
const document = execFileSync('npm', ['run', '-s', 'openapi'], { maxBuffer: 64 * 1_048_576 })
const dir = mkdtempSync(path.join(tmpdir(), 'haltless-types-'))
try {
  const [source, written] = [path.join(dir, 'openapi.json'), path.join(dir, 'schema.d.ts')]
  writeFileSync(source, document)
  const program = path.join(TOOLS, 'node_modules/openapi-typescript/bin/cli.js')
  execFileSync(process.execPath, [program, source, '-o', written], {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const hash = createHash('sha256').update(document).digest('hex')
  // without the descriptions, which are in the document, a tenth of the size
  const types = readFileSync(written, 'utf8').replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')
  // the client adds the prefix
  writeFileSync(TARGET, `// document ${hash}: written by npm run console:types\n${types.replaceAll('"/api/v1/', '"/')}`)
  const values = Object.entries(apiValues(JSON.parse(document.toString()))).map(([name, text]) => {
    const file = path.join(name === 'keyed-paths' ? CLIENT : API, `${name}.ts`)
    writeFileSync(file, `// document ${hash}: written by npm run console:types\n${text}`)
    return file
  })
  execFileSync('biome', ['format', '--write', TARGET, ...values], { stdio: ['ignore', 'ignore', 'inherit'] })
} finally {
  rmSync(dir, { recursive: true, force: true })
}
