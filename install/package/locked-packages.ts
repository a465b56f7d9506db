/** An entry of `packages` in package-lock.json. Source: https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json */
export interface LockedPackage {
  /** of an alias: the name of the package that is installed */
  name?: string
  version?: string
  license?: string
  resolved?: string
  link?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}
export type Lock = Record<string, LockedPackage>

/** Where the packages run. */
export interface Target {
  os: string
  cpu: string
}

const runsOn = ({ os, cpu, libc }: LockedPackage, target: Target): boolean =>
  (os?.includes(target.os) ?? true) && (cpu?.includes(target.cpu) ?? true) && (libc?.includes('glibc') ?? true)

/** The place of a package as Node finds it from a folder: in the nearest `node_modules` above. */
function placeOf(lock: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '') {
    const place = `${folder && `${folder}/`}node_modules/${name}`
    if (lock[place]) return place
    if (folder === '') return
  }
}

/**
 * The places in the lockfile of all packages that the named ones need when they run, themselves included, for one platform. Our own
 * workspaces are followed, and their packages for development are not.
 */
export function closureOf(lock: Lock, from: string, names: readonly string[], target: Target): string[] {
  const found = new Set<string>()
  const visit = (folder: string, name: string, isRequired: boolean): void => {
    const place = placeOf(lock, name, folder)
    const entry = place && lock[place]
    if (!entry) {
      if (isRequired) throw new Error(`package-lock.json has no ${name}, which ${folder} needs.`)
      return
    }
    if (found.has(place) || !runsOn(entry, target)) return
    found.add(place)
    const own = entry.link && entry.resolved ? entry.resolved : place
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = lock[own] ?? {}
    for (const next of Object.keys(dependencies)) visit(own, next, true)
    for (const next of Object.keys({ ...optionalDependencies, ...peerDependencies })) visit(own, next, false)
  }
  for (const name of names) visit(from, name, true)
  return [...found]
}
