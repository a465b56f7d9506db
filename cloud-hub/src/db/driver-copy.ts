import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** What `series.json` says of the unified diffs beside it, which patch one version of one package. */
export interface PatchSeries {
  package: string
  version: string
  /** the SHA-256 checksum of each source file after all patches, hex, by its path in the package */
  sha256: Record<string, string>
}

const PATCHES = path.resolve(import.meta.dirname, '../../patches/postgres')

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export const readSeries = (patches = PATCHES): PatchSeries =>
  JSON.parse(readFileSync(path.join(patches, 'series.json'), 'utf8')) as PatchSeries

interface CopyOptions {
  /** the folder with `series.json` and `*.patch` */
  patches?: string
  /** the folder of the installed package */
  installed?: string
  /** the folder for a copy that the next start finds */
  cache?: string
  /** the folder for a copy of this process, where nothing can be written to `cache` */
  temporary?: string
}

/**
 * The installed driver with our patches: a copy on disk, so that stack traces name the lines that run. The first start makes it below
 * `node_modules/.cache`, and later starts compare its checksums. Where that folder cannot be written, each process makes its own.
 * @returns `release` removes what only this process uses; call it when the modules are loaded
 * @throws Error for another version, a patch that does not apply exactly, or a result with another checksum
 */
export async function driverCopy(options: CopyOptions = {}): Promise<{ url: string; release(): void }> {
  const { patches = PATCHES, installed = path.resolve(createRequire(import.meta.url).resolve('postgres'), '../../..') } = options
  const { cache = path.resolve(installed, '../.cache/haltless'), temporary = tmpdir() } = options
  const series = readSeries(patches)
  const copy = path.join(cache, `${series.package}-${series.version}-${sha256(JSON.stringify(series)).slice(0, 16)}`)
  const found = (folder: string, release = () => {}) => ({
    url: pathToFileURL(path.join(folder, 'src/index.js')).href,
    release,
  })
  if (isIntact(copy, series)) return found(copy)
  const sources = await patchedSources(series, patches, installed)
  try {
    placeCopy(copy, series, sources)
    return found(copy)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    // only this user may change it before it is loaded
    const own = mkdtempSync(path.join(temporary, `haltless-${series.package}-`))
    write(own, series, sources)
    return found(own, () => rmSync(own, { recursive: true, force: true }))
  }
}

function isIntact(copy: string, series: PatchSeries): boolean {
  const read = (file: string) => readFileSync(path.join(copy, file), 'utf8')
  try {
    const areSources = Object.entries(series.sha256).every(([file, sum]) => sha256(read(file)) === sum)
    return areSources && read('package.json') === packageOf(series)
  } catch {
    return false
  }
}

/** Renaming a whole folder is atomic, so a process that starts at the same time finds all files or none. */
function placeCopy(copy: string, series: PatchSeries, sources: Sources): void {
  const [fresh, damaged] = [`${copy}.${randomUUID()}`, `${copy}.${randomUUID()}`]
  try {
    write(fresh, series, sources)
    try {
      renameSync(fresh, copy)
    } catch (error) {
      // another process has placed an intact copy meanwhile, which it may be loading; or there is a damaged one
      if (isIntact(copy, series)) return
      if (!existsSync(copy)) throw error
      renameSync(copy, damaged)
      renameSync(fresh, copy)
    }
  } catch (error) {
    if (!isIntact(copy, series)) throw error
  } finally {
    for (const folder of [fresh, damaged]) rmSync(folder, { recursive: true, force: true })
  }
}

type Sources = Map<string, string>

const packageOf = ({ package: name, version }: PatchSeries): string => JSON.stringify({ name, version, type: 'module' })

function write(folder: string, series: PatchSeries, sources: Sources): void {
  mkdirSync(path.join(folder, 'src'), { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), packageOf(series))
  for (const [file, source] of sources) writeFileSync(path.join(folder, file), source)
}

/** The sources of the package, each with the diffs of the patches in the order of their names. */
async function patchedSources(series: PatchSeries, patches: string, installed: string): Promise<Sources> {
  const read = (file: string) => readFileSync(path.join(installed, file), 'utf8')
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const title = `${series.package} ${version}`
  if (version !== series.version) throw new Error(`${title} is installed, but the patches are for ${series.version}`)
  const [{ applyPatch }, { parsePatch }] = await Promise.all([
    import('diff/lib/patch/apply.js'),
    import('diff/lib/patch/parse.js'),
  ])
  const sources = new Map(readdirSync(path.join(installed, 'src')).map((name) => [`src/${name}`, read(`src/${name}`)]))
  for (const name of globSync('*.patch', { cwd: patches }).toSorted()) {
    for (const diff of parsePatch(readFileSync(path.join(patches, name), 'utf8'))) {
      const file = diff.newFileName?.replace(/^b\//, '') ?? ''
      const patched = applyPatch(sources.get(file) ?? '', diff, { fuzzFactor: 0 })
      if (patched === false) throw new Error(`the patch ${name} does not apply to ${file} of ${title}`)
      sources.set(file, patched)
    }
  }
  for (const file of new Set([...sources.keys(), ...Object.keys(series.sha256)])) {
    const sum = sha256(sources.get(file) ?? '')
    if (sum !== series.sha256[file])
      throw new Error(`${file} of ${title} has the checksum ${sum} after patching, not ${series.sha256[file]}`)
  }
  return sources
}
