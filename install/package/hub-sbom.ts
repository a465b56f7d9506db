import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { BundledPackage } from './bundle.ts'
import { closureOf, type Lock, type Target } from './locked-packages.ts'
import { root } from './run.ts'
import { sbomOf } from './sbom.ts'

/**
 * `npm run -s package:hub-sbom`: prints what the hub contains: Node, the packages that it runs and those in the console. It reads
 * package-lock.json only, so that install/Dockerfile.hub runs it too. Two runs of one commit print the same.
 */
const USAGE = `Usage: npm run -s package:hub-sbom -- [--external-database]
Prints the packages of the hub and of its console as CycloneDX 1.6.
--external-database leaves out the embedded PostgreSQL, as the image of the hub does.
`
/** What builds the console and is not in it. */
const BUILD_TOOLS = /^(@types\/|@tailwindcss\/|@vitejs\/|tailwindcss$|vite$|openapi-typescript)/

interface Contents {
  lock: Lock
  target: Target
  hasDatabase: boolean
}

/** The packages of the hub and of its console, from the lockfile. */
export function hubPackages({ lock, target, hasDatabase }: Contents): Omit<BundledPackage, 'licenseText'>[] {
  const hub = lock['cloud-hub'] ?? {}
  const console = Object.keys(lock['cloud-hub/console']?.devDependencies ?? {})
  const database = Object.keys(hub.optionalDependencies ?? {}).filter((name) => lock[`node_modules/${name}`])
  const places = new Set([
    ...closureOf(lock, 'cloud-hub', [...Object.keys(hub.dependencies ?? {}), ...(hasDatabase ? database : [])], target),
    ...closureOf(
      lock,
      'cloud-hub/console',
      console.filter((name) => !BUILD_TOOLS.test(name)),
      target,
    ),
  ])
  const packages = [...places].map((place) => {
    const { name, version = '', license = 'NOASSERTION' } = lock[place] ?? {}
    return { name: name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length), version, license }
  })
  const unique = new Map(packages.map((entry) => [`${entry.name}@${entry.version}`, entry]))
  return [...unique.values()].toSorted((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1))
}

if (import.meta.main) {
  if (process.argv.includes('--help')) process.stdout.write(USAGE)
  else {
    const { packages: lock } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as { packages: Lock }
    const target = { os: process.platform, cpu: process.arch }
    const packages = hubPackages({ lock, target, hasDatabase: !process.argv.includes('--external-database') })
    const { version = '' } = lock['cloud-hub'] ?? {}
    const nodeVersion = process.version.slice(1)
    process.stdout.write(sbomOf({ name: 'haltless-hub', version, nodeVersion, architecture: process.arch, packages }))
  }
}
