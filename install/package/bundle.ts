import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import type { Platform } from './platforms.ts'
import { PackagingError, root } from './run.ts'

/** A package of which the bundle has code. */
export interface BundledPackage {
  name: string
  version: string
  license: string
  /** the text of its license file; null where it has none */
  licenseText: string | null
}

/** What CommonJS code in an ES module needs. */
const BANNER = [
  "import { createRequire as haltlessRequire } from 'node:module'",
  "import { fileURLToPath as haltlessPath } from 'node:url'",
  "import { dirname as haltlessFolder } from 'node:path'",
  'const require = haltlessRequire(import.meta.url)',
  'const __filename = haltlessPath(import.meta.url)',
  'const __dirname = haltlessFolder(__filename)',
].join(';')

/** The native package, which is copied: its code and the add-on of one platform. */
const NATIVE = 'better-sqlite3'

/**
 * Writes the agent, its updater and the process of its collectors as one file each, with what they read beside them, into `lib`. node-opcua also looks for a package.json beside and
 * above its code. @returns the packages in it
 */
export async function bundleAgent(platform: Platform, version: string, appDir: string): Promise<BundledPackage[]> {
  const lib = path.join(appDir, 'lib')
  mkdirSync(lib, { recursive: true })
  const { metafile } = await build({
    entryPoints: {
      agent: path.join(root, 'edge-agent/src/main.ts'),
      updater: path.join(root, 'edge-agent/src/updates/updater-main.ts'),
      collectors: path.join(root, 'edge-agent/src/collectors/host/child.ts'),
    },
    outdir: lib,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // proper-lockfile is an optional dependency that is not installed
    external: [NATIVE, 'proper-lockfile'],
    banner: { js: `${BANNER};` },
    metafile: true,
    logLevel: 'error',
  })
  cpSync(path.join(root, 'edge-agent/src/buffer/migrations'), path.join(lib, 'migrations'), { recursive: true })
  cpSync(path.join(root, 'edge-agent/src/local/page'), path.join(lib, 'page'), { recursive: true })
  copyNative(platform, path.join(lib, 'node_modules', NATIVE))
  const own = `${JSON.stringify({ name: '@haltless/edge-agent', version, type: 'module' }, null, 2)}\n`
  for (const dir of [path.dirname(appDir), appDir, lib]) writeFileSync(path.join(dir, 'package.json'), own)
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  )
  const folders = new Set(used.flatMap((file) => folderOf(file) ?? []))
  return [...folders, `node_modules/${NATIVE}`].map(describePackage).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function copyNative({ node }: Platform, target: string): void {
  const source = path.join(root, 'node_modules', NATIVE)
  const addon = `prebuilds/linux-${node}.node`
  if (!existsSync(path.join(source, addon))) throw new PackagingError(`${NATIVE} has no add-on for linux-${node}.`)
  for (const part of ['package.json', 'lib', 'LICENSE', addon])
    cpSync(path.join(source, part), path.join(target, part), { recursive: true })
}

/** `node_modules/a/node_modules/@b/c/d.js` -> `node_modules/a/node_modules/@b/c`; null: our own source */
const folderOf = (file: string): string | null => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? null

function describePackage(folder: string): BundledPackage {
  const dir = path.join(root, folder)
  const { name, version, license } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) as Record<string, string>
  const file = readdirSync(dir).find((entry) => /^(licen[sc]e|copying)(\.|-|$)/i.test(entry))
  return {
    name: name as string,
    version: version as string,
    license: license ?? 'NOASSERTION',
    licenseText: file ? readFileSync(path.join(dir, file), 'utf8').trim() : null,
  }
}
