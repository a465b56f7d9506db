import { readdirSync } from 'node:fs'
import path from 'node:path'
import { type Fault, fault } from '@haltless/protocol'
import { INSTALLATION, Installation } from './installation.ts'

/** Where this program was installed from its package, which has an updater. */
export interface OwnInstallation {
  installation: Installation
  /** of this program */
  version: string
}

/**
 * @param folder of this program's code
 * @returns null for a program in a repository, a container, or an archive that somebody unpacked
 */
export function ownInstallation(folder: string): OwnInstallation | null {
  const [, root, version] = /^(.*)\/versions\/([^/]+)\/app\/lib$/.exec(folder) ?? []
  if (root === undefined || version === undefined) return null
  const installation = new Installation(root)
  return installation.linked('confirmed') === null ? null : { installation, version }
}

/**
 * The schema of the buffer that the confirmed version knows, while this program has not proved itself and that one may have to read the buffer
 * again; undefined: this program is confirmed.
 */
export function schemaOfConfirmed(own: OwnInstallation | null): number | undefined {
  const confirmed = own?.installation.linked('confirmed')
  if (!own || !confirmed || confirmed === own.version) return undefined
  const migrations = path.join(own.installation.folderOf(confirmed), 'app/lib/migrations')
  return readdirSync(migrations).filter((name) => /^\d+\.sql$/.test(name)).length
}

/** The data folder that the updater of the package knows. */
const PACKAGE_DATA_DIR = '/var/lib/haltless-agent'

/** Why no updates are installed; null: they are. */
export function whyNoUpdates(own: OwnInstallation | null, settings: { enabled: boolean; dataDir: string }): Fault | null {
  if (!own) return fault('updates_not_packaged')
  if (own.installation.updateKey(own.version) === null) return fault('updates_without_key')
  if (!settings.enabled) return fault('updates_disabled')
  if (own.installation.root === INSTALLATION && settings.dataDir !== PACKAGE_DATA_DIR)
    return fault('updates_other_data_dir', { folder: PACKAGE_DATA_DIR })
  return null
}
