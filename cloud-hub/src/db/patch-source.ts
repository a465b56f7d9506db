import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { StructuredPatch } from 'diff'
import { applyPatch } from 'diff/lib/patch/apply.js'
import { parsePatch } from 'diff/lib/patch/parse.js'

/** Unified diffs for the sources of one version of one package. */
export interface PatchSeries {
  package: string
  version: string
  /** the SHA-256 checksum of each patched file after all patches, hex, by its path in the package */
  sha256: Record<string, string>
  /** in the order of their file names; each applies to the result of the one before */
  patches: { name: string; diffs: StructuredPatch[] }[]
}

/** @param folder holds `series.json` (package, version, sha256) and `*.patch` */
export function readPatches(folder: string): PatchSeries {
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  const names = globSync('*.patch', { cwd: folder }).toSorted()
  return { ...JSON.parse(read('series.json')), patches: names.map((name) => ({ name, diffs: parsePatch(read(name)) })) }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Patches a source once: one that is patched already, because two hooks load it, comes back as it is.
 * @param file the path of a source file in its package
 * @param version the version of the package that is installed
 * @throws Error for another version, a patch that does not apply exactly, or a result with another checksum
 */
export function patchSource(series: PatchSeries, { file, version, source }: { file: string; version: string; source: string }) {
  const title = `${series.package} ${version}`
  if (version !== series.version) throw new Error(`${title} is installed, but the patches are for ${series.version}`)
  if (sha256(source) === series.sha256[file]) return source
  let patched = source
  for (const { name, diffs } of series.patches) {
    for (const diff of diffs.filter(({ newFileName }) => newFileName === `b/${file}`)) {
      const next = applyPatch(patched, diff, { fuzzFactor: 0 })
      if (next === false) throw new Error(`the patch ${name} does not apply to ${file} of ${title}`)
      patched = next
    }
  }
  const checksum = sha256(patched)
  if (checksum !== series.sha256[file])
    throw new Error(`${file} of ${title} has the checksum ${checksum} after patching, not ${series.sha256[file]}`)
  return patched
}
