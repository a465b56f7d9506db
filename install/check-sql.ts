// Part of `npm run check`: where SQL on a table may stand, and what each statement must name. Exits with 1 and one line per fault.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { loadModule } from 'libpg-query'
import { checkFile, ExceptionUse } from './sql/check-file.ts'
import { SourceFiles } from './sql/source-file.ts'
import { readTables } from './sql/tables.ts'

interface Rule {
  /** what the sources must not contain, comments aside; a global pattern */
  pattern: RegExp
  /** the files that the rule is about, as globs from the top of the repository */
  files: string[]
  /** the files that may contain it all the same */
  except: string[]
  because: string
}

/** A statement on readings or latest readings: as SQL text, or as the drizzle table. */
const ON_READINGS = new RegExp(
  [
    /\b(?:from|join|into|update|using|table|insert on|trigger \w+ on)\s+readings\b/.source,
    /\b(?:machine_latest|reading_(?:arrivals|tail|blocks|blocks_open|hours|minutes))\b/.source,
  ].join('|'),
  'gi',
)

const RULES: Rule[] = [
  {
    pattern: /\bpg_(?:try_)?advisory\w*\(\s*\d/g,
    files: ['cloud-hub/**'],
    except: [],
    because: 'the numbers of advisory locks stand in db/advisory-locks.ts',
  },
  {
    pattern: ON_READINGS,
    files: ['cloud-hub/**'],
    except: [
      'cloud-hub/src/readings/**',
      // a browser has no SQL
      'cloud-hub/console/**',
      // tests, faults and benchmarks read and write stored readings through it
      'cloud-hub/test/support/{stored-readings,reading-storage,packed-series,moved-readings}.ts',
      // the declaration of the table
      'cloud-hub/src/db/tables/readings.ts',
      // the partitions that a backup creates again
      'cloud-hub/src/db/backup/{backup,restore}.ts',
      // the tables that are not audited or have no rows, by name
      'cloud-hub/test/audit.test.ts',
      // these test where the store keeps readings
      'cloud-hub/test/{arrivals,backup,command-line,packed-retention,sealer,sealing,stored-readings}.test.ts',
      'cloud-hub/test/packed-readings.ts',
    ],
    because: 'statements on readings live in cloud-hub/src/readings, or for tests in test/support/stored-readings.ts',
  },
]

const top = path.dirname(import.meta.dirname)
const matches = (name: string, globs: string[]): boolean => globs.some((glob) => path.matchesGlob(name, glob))

/** The source with comments blanked, so that prose is not taken for SQL and line numbers stay. */
const withoutComments = (source: string): string =>
  source.replace(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '))

const HAS_STATEMENT =
  /[\w)>\]]`\s*\(?\s*(?:with|select|insert|update|delete|set|lock|create|alter|drop|truncate|analyze|vacuum|notify)\b/i
/** The tables of drizzle have templates of its own, and a browser has no SQL. */
const WITHOUT_SQL = ['**/node_modules/**', 'cloud-hub/src/db/tables/**', 'cloud-hub/console/**']

await loadModule()
const files = new SourceFiles(top)
const exceptions = new ExceptionUse()
const tables = readTables(path.join(top, 'cloud-hub/migrations/schema.sql'))
const faults: string[] = []
for (const name of globSync('cloud-hub/{src,test,bench,faults}/**/*.ts', { cwd: top, exclude: WITHOUT_SQL }).toSorted()) {
  if (!HAS_STATEMENT.test(readFileSync(path.join(top, name), 'utf8'))) continue
  const file = files.read(name)
  if (file) faults.push(...checkFile(files, file, { tables, exceptions }))
}
for (const { files: of, because } of exceptions.unused())
  faults.push(`install/sql/exceptions.ts: ${of} needs no exception (${because})`)

for (const file of globSync('{protocol,edge-agent,cloud-hub}/**/*.ts', {
  cwd: top,
  exclude: ['**/node_modules/**'],
}).toSorted()) {
  const rules = RULES.filter(({ files, except }) => matches(file, files) && !matches(file, except))
  if (rules.length === 0) continue
  const source = withoutComments(readFileSync(path.join(top, file), 'utf8'))
  for (const { pattern, because } of rules)
    for (const found of source.matchAll(pattern))
      faults.push(`${file}:${source.slice(0, found.index).split('\n').length} "${found[0]}": ${because}`)
}
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
}
