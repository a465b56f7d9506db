import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AppDeps, allRoutes, apiDocument } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { newPlant } from './console/plant.ts'
import { useRunningHubs } from './running-hub.ts'

/**
 * Clients of two generators compile the examples of docs/api/clients.md. Their versions are pinned by a lockfile of their own, from which they
 * are installed here, so this needs the package registry.
 */
const TOOLS = path.join(import.meta.dirname, 'api-clients')
const GUIDES = path.join(import.meta.dirname, '../docs/api')
const guide = (file: string) => readFileSync(path.join(GUIDES, file), 'utf8')
const docs = readdirSync(GUIDES).map(guide).join('\n')
const blocksOf = (file: string, language: string) =>
  [...guide(file).matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text as string)

const OPTIONS = {
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
}
const folder = mkdtempSync(path.join(tmpdir(), 'haltless-clients-'))
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
const run = (program: string, ...args: string[]) =>
  execFileSync(process.execPath, [path.join(folder, 'node_modules', program), ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })

beforeAll(() => {
  for (const file of ['package.json', 'package-lock.json']) cpSync(path.join(TOOLS, file), path.join(folder, file))
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['ci', ...quiet], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const document = apiDocument(allRoutes({ config: loadConfig({}) } as AppDeps))
  write('openapi.json', JSON.stringify(document))
  run('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'schema.d.ts')
  run('@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'haltless', '--no-log-file')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Compiles files. @returns the codes of the errors, by file */
async function compile(files: Record<string, string>): Promise<Record<string, string[]>> {
  for (const [name, text] of Object.entries(files)) write(name, text)
  write('tsconfig.json', JSON.stringify({ compilerOptions: OPTIONS, files: Object.keys(files) }))
  const program = path.join(folder, 'node_modules/typescript/bin/tsc')
  const output = await new Promise<string>((done) => {
    execFile(process.execPath, [program, '-p', '.', '--pretty', 'false'], { cwd: folder }, (_, stdout) => done(stdout))
  })
  const faults = [...output.matchAll(/^(\S+?)\(\d+,\d+\): error (TS\d+)/gm)]
  const found: Record<string, string[]> = {}
  for (const [, name = '', code = ''] of faults) found[name] = [...(found[name] ?? []), code]
  return found
}

interface Call {
  method: string
  path: string
  /** names of parameters */
  query: string[]
}

const callOf = (method: string, target: string): Call => {
  const [route = '', query = ''] = target.split('?')
  return {
    method,
    path: route,
    query: query
      .split('&')
      .flatMap((pair) => pair.split('=', 1))
      .filter(Boolean),
  }
}

/** What the commands and the sentences of the guides call. */
const calls = (): Call[] => [
  // guides.test.ts runs those of the other guides
  ...blocksOf('areas.md', 'sh')
    .flatMap((block) => block.split('\n').filter((line) => line.startsWith('curl')))
    .map((line) => {
      const method = / -X (\w+)/.exec(line)?.[1] ?? (/ -[Fd] /.test(line) ? 'POST' : 'GET')
      const target = /\$url(\/[^\s"]+)/.exec(line)?.[1] ?? line
      return callOf(method, target.replaceAll(/\$(\w+)/g, '{$1}'))
    }),
  ...[...docs.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (?:\/api\/v1)?(\/[^\s`]+)`/g)].map(([, method = '', target = '']) =>
    callOf(method, target),
  ),
]

/** A call whose names are checked; its values are not. */
function sourceOf({ method, path: route, query }: Call): string {
  const namesOf = (names: string[]) => `{ ${names.map((name) => `${name}: '' as never`).join(', ')} }`
  const ids = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  // the text may leave required parameters out
  const params = [...(ids.length > 0 ? [`path: ${namesOf(ids)}`] : []), 'query: undefined as never']
  // the generated call accepts optional parameters of any name
  const known = `Required<NonNullable<paths['/api/v1${route}']['${method.toLowerCase()}']['parameters']['query']>>`
  return [
    `void hub.${method}('/api/v1${route}', { params: { ${params.join(', ')} }, body: undefined as never })`,
    ...query.map((name) => `void (null as unknown as ${known}).${name}`),
  ].join('\n')
}

/** The guide in the words of each generator. */
const FIRST_READINGS = {
  'openapi-typescript': `import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'

export async function firstReadings(url: string, token: string, key: string): Promise<string[]> {
  const hub = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${token}\` } })
  const machine_identifier = \`first-readings-\${Date.now()}\`
  const { data: machine, error } = await hub.POST('/api/v1/machines', {
    body: { name: 'First readings', machine_identifier, protocol: 'json' },
  })
  if (error) throw new Error(error.code)
  await hub.POST('/api/v1/alert-rules', {
    body: { machine_id: machine.id, metric_name: 'vibration', warning_threshold: 4.5, critical_threshold: 7.1 },
  })
  const reading = { machine_identifier, metric_name: 'vibration', unit: 'mm/s', value: 7.4, timestamp: new Date().toISOString() }
  const sender = createClient<paths>({ baseUrl: url, headers: { 'x-api-key': key } })
  await sender.POST('/api/v1/ingest', { body: { readings: [reading] } })
  const { data: alerts } = await hub.GET('/api/v1/alerts', { params: { query: { machine_id: machine.id } } })
  // asked for CSV it would be a text
  if (typeof alerts !== 'object') throw new Error('no alerts')
  return alerts.items.map(({ message }) => message)
}
`,
  'hey-api': `import { createAlertRule, createMachine, ingestReadings, listAlerts } from './haltless'
import { createClient } from './haltless/client'

export async function firstReadings(url: string, token: string, key: string): Promise<string[]> {
  const client = createClient({ baseUrl: url, auth: (scheme) => (scheme.type === 'apiKey' ? key : token) })
  const machine_identifier = \`first-readings-\${Date.now()}\`
  const { data: machine, error } = await createMachine({
    client,
    body: { name: 'First readings', machine_identifier, protocol: 'json' },
  })
  if (error) throw new Error(error.code)
  await createAlertRule({
    client,
    body: { machine_id: machine.id, metric_name: 'vibration', warning_threshold: 4.5, critical_threshold: 7.1 },
  })
  const reading = { machine_identifier, metric_name: 'vibration', unit: 'mm/s', value: 7.4, timestamp: new Date().toISOString() }
  await ingestReadings({ client, body: { readings: [reading] } })
  const alerts = await listAlerts({ client, query: { machine_id: machine.id } })
  return alerts.data?.items.map(({ message }) => message) ?? []
}
`,
}

const CLIENT = `import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'
const hub = createClient<paths>()
`
const operations = () => [...docs.matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(([, name]) => name as string)

it('generated clients of two generators compile the examples, calls and operations that the page shows', async () => {
  const [byPath = '', byOperation = '', ...others] = blocksOf('clients.md', 'ts')
  expect(others).toEqual([])
  expect(operations()).toEqual(expect.arrayContaining(['listMachines', 'createMachine', 'acknowledgeAlert']))
  expect(calls()).toEqual(
    expect.arrayContaining([
      { method: 'GET', path: '/stream', query: [] },
      { method: 'POST', path: '/machines/import', query: [] },
      { method: 'GET', path: '/machines/{machine_id}/readings', query: ['start', 'interval'] },
    ]),
  )
  const faults = await compile({
    'by-path.ts': byPath,
    'by-operation.ts': byOperation,
    'calls.ts': CLIENT + calls().map(sourceOf).join('\n'),
    'operations.ts': `export { ${[...new Set(operations())].join(', ')} } from './haltless'`,
    // what is wrong in an example is found
    'wrong-path.ts': byPath.replace('/api/v1/alert-rules', '/api/v1/alert-rule'),
    'wrong-body.ts': byPath.replace('warning_threshold', 'warn_threshold'),
    'wrong-operation.ts': byOperation.replaceAll('acknowledgeAlert', 'confirmAlert'),
    'wrong-query.ts': byOperation.replace('page_size', 'limit'),
    'wrong-answer.ts': byOperation.replace('acknowledged_at', 'confirmed_at'),
    'wrong-config.ts': byOperation.replace('url:', 'address:'),
    'wrong-call.ts': CLIENT + sourceOf({ method: 'GET', path: '/audit-log', query: ['page', 'sort_by'] }),
  })
  const wrong = (code: string) => expect.arrayContaining([code])
  expect(faults).toEqual({
    'wrong-path.ts': wrong('TS2345'),
    'wrong-body.ts': wrong('TS2561'),
    'wrong-operation.ts': wrong('TS2305'),
    'wrong-query.ts': wrong('TS2353'),
    'wrong-answer.ts': wrong('TS2339'),
    'wrong-config.ts': wrong('TS2353'),
    'wrong-call.ts': wrong('TS2339'),
  })
})

describe('with a hub', () => {
  const hubs = useRunningHubs()

  it.each(Object.entries(FIRST_READINGS))(
    'a client of %s compiles and runs the guide to the first readings',
    async (name, source) => {
      const hub = await hubs.start()
      const plant = await newPlant(hub)
      const { token } = await plant.call('POST', 'tokens', {
        name,
        scopes: ['machines:write', 'rules:write', 'alerts:read'],
        expires_in_days: 1,
      })
      const file = `first-readings-${name}.ts`
      expect(await compile({ [file]: source })).toEqual({})
      const { firstReadings } = (await import(path.join(folder, file))) as {
        firstReadings(url: string, token: string, key: string): Promise<string[]>
      }
      expect(await firstReadings(hub.url, token, plant.key)).toEqual([
        expect.stringContaining('above the critical threshold of 7.1'),
      ])
      await hub.stop()
    },
  )
})
