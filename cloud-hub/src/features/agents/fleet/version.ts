import { compareVersions, ReleaseVersion } from '@haltless/protocol'

export interface VersionSettings {
  latestAgentVersion: string
  minSupportedVersion: string
}

/** By semver; false where one of them is no version. */
const isOlder = (version: string, other: string): boolean =>
  [version, other].every((one) => ReleaseVersion.safeParse(one).success) && compareVersions(version, other) < 0

/** The newest version is that of the setting, or that of the newest release where it is newer. */
export function latestOf<T extends VersionSettings>(settings: T, newestRelease: string | null): T {
  const isNewer = newestRelease !== null && isOlder(settings.latestAgentVersion, newestRelease)
  return isNewer ? { ...settings, latestAgentVersion: newestRelease } : settings
}

/** What is no version, such as `v1.2.3`, is neither outdated nor unsupported. */
export function versionFlags(
  version: string | undefined,
  settings: VersionSettings,
): { update_available: boolean; unsupported: boolean } {
  const below = (other: string) => version !== undefined && isOlder(version, other)
  return { update_available: below(settings.latestAgentVersion), unsupported: below(settings.minSupportedVersion) }
}
