// Part of `npm run check`: who may import whom, and where SQL may stand. Exits with 1 and one line per fault.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { AREAS, SINGLE } from './areas.ts'

interface Rule {
  /** files that the rule is about, as globs from the top of the repository */
  files: string[]
  /** what they may not import: globs of files, or names of packages */
  mayNotImport: string[]
  except?: string[]
  because: string
}

const RULES: Rule[] = [
  {
    files: ['protocol/src/**'],
    mayNotImport: ['@haltless/*'],
    because: 'protocol imports no other package of ours',
  },
  {
    files: ['protocol/src/**/!(*.test).ts'],
    mayNotImport: ['node:*'],
    because: 'protocol runs in a browser',
  },
  {
    files: ['cloud-hub/console/src/**/!(*.test).{ts,tsx}'],
    mayNotImport: ['cloud-hub/{src,test}/**', 'edge-agent/**', '@haltless/*', '@haltless/*/*', 'node:*'],
    except: [
      '@haltless/client/schema',
      '@haltless/protocol/fault-text',
      '@haltless/protocol/faults',
      '@haltless/protocol/languages',
      '@haltless/protocol/metric-names',
      '@haltless/protocol/units',
    ],
    because: 'the console runs in a browser and uses the API',
  },
  {
    files: ['cloud-hub/client/src/**/!(*.test).ts'],
    mayNotImport: ['cloud-hub/{src,test,console}/**', '@haltless/*', '@haltless/*/*', 'node:*'],
    because: 'the client runs in programs of users, in browsers too, and uses the API',
  },
  {
    files: ['cloud-hub/console/src/{kit,i18n,api}/**'],
    mayNotImport: ['cloud-hub/console/src/{app,features}/**'],
    because: 'kit, texts and the client of the console know nothing of its pages',
  },
  {
    files: ['cloud-hub/console/src/{i18n,api}/**'],
    mayNotImport: ['cloud-hub/console/src/kit/**'],
    because: 'texts and the client of the console know nothing of its kit',
  },
  {
    files: ['edge-agent/**'],
    mayNotImport: ['@haltless/cloud-hub', 'cloud-hub/**'],
    because: 'the agent runs without the hub',
  },
  {
    files: ['edge-agent/src/collectors/**'],
    mayNotImport: ['edge-agent/src/{buffer,uplink,heartbeat}/**', 'edge-agent/src/settings/**'],
    because: 'the hub uses collectors too: they import support and protocol only',
  },
  {
    files: ['edge-agent/src/{uplink,buffer}/**'],
    mayNotImport: ['edge-agent/src/collectors/**'],
    because: 'collectors and uplink meet only at the buffer',
  },
  {
    files: ['cloud-hub/{src,bench}/**'],
    mayNotImport: ['edge-agent/**'],
    because: 'the hub uses what the package @haltless/edge-agent exports',
  },
  {
    files: ['cloud-hub/{test,faults}/**'],
    mayNotImport: ['edge-agent/**'],
    except: ['edge-agent/test/support/**', 'edge-agent/src/plant/modbus-server.ts'],
    because: 'tests use what the agent exports and its test servers',
  },
  {
    files: ['*/src/**/!(*.test).ts'],
    mayNotImport: ['*/test/**', '*/bench/**', '*/faults/**'],
    because: 'nothing of the tests runs in the product',
  },
  {
    files: ['cloud-hub/faults/**/!(*.test).ts'],
    mayNotImport: ['vitest', '**/*.test.ts'],
    because: 'the rows run without a test runner too',
  },
  {
    files: ['cloud-hub/src/error-codes/!(*.test).ts'],
    mayNotImport: ['cloud-hub/src/!(error-codes)/**', 'cloud-hub/src/*.ts', '@haltless/*', '@haltless/*/*'],
    because: 'the vocabulary of refusals is data',
  },
  {
    files: ['cloud-hub/src/support/**'],
    mayNotImport: [
      'cloud-hub/src/{features,readings,db,broker}/**',
      'cloud-hub/src/{app,hub,jobs,main,metrics}.ts',
      '@haltless/*',
      '@haltless/*/*',
    ],
    except: ['@haltless/edge-agent/secret', '@haltless/protocol/faults', '@haltless/protocol/languages'],
    because: 'support knows nothing of the domain',
  },
  {
    files: ['cloud-hub/src/db/**'],
    mayNotImport: ['cloud-hub/src/{features,readings,broker}/**', 'hono', 'hono/**'],
    because: 'db knows nothing of what is above it',
  },
  {
    files: ['cloud-hub/src/readings/**'],
    mayNotImport: ['cloud-hub/src/{features,broker}/**', 'hono', 'hono/**'],
    because: 'the reading store knows nothing of features',
  },
  {
    files: ['cloud-hub/src/!(readings)/**', 'cloud-hub/src/*.ts'],
    mayNotImport: ['cloud-hub/src/readings/!(index).ts', 'cloud-hub/src/readings/*/**'],
    because: 'the reading store is imported through its index.ts',
  },
  {
    files: ['cloud-hub/src/config.ts'],
    mayNotImport: ['cloud-hub/src/features/**'],
    because: 'settings know nothing of features',
  },
  {
    files: ['cloud-hub/src/features/**'],
    mayNotImport: ['cloud-hub/src/broker/**', 'cloud-hub/src/hub/**', 'cloud-hub/src/{app,hub,jobs,main}.ts'],
    because: 'app mounts the features; they do not import what starts them',
  },
  {
    files: ['cloud-hub/src/features/delivery/notifications/channels/**'],
    mayNotImport: ['cloud-hub/src/db/**', 'drizzle-orm', 'drizzle-orm/**', 'postgres', 'hono', 'hono/**', 'undici'],
    because: 'an adapter uses its contract and what the runner passes in',
  },
  {
    files: [
      'cloud-hub/{bench,faults}/**',
      'cloud-hub/src/**/!(tables)/*.ts',
      'cloud-hub/src/*.ts',
      'cloud-hub/test/!(describe-columns).ts',
      'cloud-hub/test/*/**',
    ],
    mayNotImport: ['drizzle-orm', 'drizzle-orm/**'],
    because: 'drizzle declares the tables; statements are templates of postgres',
  },
  {
    files: ['cloud-hub/src/features/**/*routes.ts'],
    mayNotImport: ['cloud-hub/src/db/{pools,sql,columns}.ts', 'cloud-hub/src/db/tables/**', 'postgres'],
    because: 'routes hold no SQL',
  },
]

/** What source text may not contain. */
const CONTENT_RULES = [
  {
    files: ['cloud-hub/{src,test,bench,faults}/**/*.ts'],
    mayNotContain: /^import (?!type\b)[^';]*'postgres'/m,
    because: 'the driver with our patches is imported from db/driver.ts',
  },
  {
    files: ['cloud-hub/src/features/**/*routes.ts'],
    mayNotContain: /\b(?:sql|tx|db|system|allTenants)(?:<[^`]*>)?`/,
    because: 'routes hold no SQL: a tagged template belongs to repository.ts or a verb file',
  },
  {
    files: ['cloud-hub/src/features/**/!(*routes|*.test).ts'],
    mayNotContain: /\brouteFor\b/,
    because: 'routes are declared in *routes.ts',
  },
  {
    files: ['cloud-hub/src/**/!(tables)/!(*.test).ts'],
    mayNotContain: /^(?:import|export) (?!type\b)[^';]*'[^']*\/tables\/[\w-]+\.ts'/m,
    because: 'a running hub loads no drizzle: import types of db/tables, or the values of db/enums.ts',
  },
]

const top = path.dirname(import.meta.dirname)
const IMPORT = /^(?:import|export)\b(?:[^'";]*?\bfrom)?\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm

function fault(file: string, target: string): string | null {
  const broken = RULES.find(
    ({ files, mayNotImport, except = [] }) => matches(file, files) && matches(target, mayNotImport) && !matches(target, except),
  )
  return broken?.because ?? featureFault(featureOf(file), featureOf(target), target)
}

function featureFault(from: Feature | null, to: Feature | null, target: string): string | null {
  if (!from || !to || from.name === to.name) return null
  if (path.basename(target) !== 'index.ts') return 'a feature is imported through its index.ts'
  if (AREAS[from.area] === undefined) return `${from.area} is no area`
  return from.area === to.area || AREAS[from.area]?.includes(to.area) ? null : `${from.area} does not import ${to.area}`
}

interface Feature {
  area: string
  /** `alerting/rules`, or `mails` for an area that is one feature */
  name: string
}

function featureOf(file: string): Feature | null {
  const found = /^cloud-hub\/src\/features\/([^/]+)\/(?:([^/]+)\/)?/.exec(file)
  if (!found) return null
  const [, area = '', feature] = found
  if (SINGLE.includes(area)) return { area, name: area }
  return feature === undefined ? null : { area, name: `${area}/${feature}` }
}

const matches = (name: string, globs: string[]): boolean => globs.some((glob) => path.matchesGlob(name, glob))

const files = globSync('{protocol,edge-agent,cloud-hub}/**/*.{ts,tsx}', { cwd: top, exclude: ['**/{node_modules,dist}/**'] })
const faults: string[] = []
for (const file of files.toSorted()) {
  const text = readFileSync(path.join(top, file), 'utf8')
  for (const { files: about, mayNotContain, because } of CONTENT_RULES) {
    if (matches(file, about) && mayNotContain.test(text)) faults.push(`${file}: ${because}`)
  }
  for (const [, statement, call] of text.matchAll(IMPORT)) {
    const given = (statement ?? call) as string
    const target = given.startsWith('.') ? path.join(path.dirname(file), given) : given
    const why = fault(file, target)
    if (why) faults.push(`${file} imports ${given}: ${why}`)
  }
}
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
}
