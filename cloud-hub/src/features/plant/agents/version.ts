/** Compares versions such as 1.2.3; what follows a `-` or `+` is ignored. @returns below 0, 0 or above 0; null for anything else */
export function compareVersions(a: string, b: string): number | null {
  const parts = [a, b].map((text) => /^v?(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(text)?.slice(1).map(Number))
  const [left, right] = parts
  if (!left || !right) return null
  for (let i = 0; i < 3; i++) if (left[i] !== right[i]) return (left[i] as number) - (right[i] as number)
  return 0
}

export interface VersionSettings {
  latestAgentVersion: string
  minSupportedVersion: string
}

/** The newest version is that of the setting, or that of the newest release where it is newer. */
export function latestOf<T extends VersionSettings>(settings: T, newestRelease: string | null): T {
  const isNewer = newestRelease !== null && (compareVersions(settings.latestAgentVersion, newestRelease) ?? 0) < 0
  return isNewer ? { ...settings, latestAgentVersion: newestRelease } : settings
}

/** An unparsable version is neither outdated nor unsupported. */
export function versionFlags(
  version: string | undefined,
  settings: VersionSettings,
): { update_available: boolean; unsupported: boolean } {
  const below = (other: string) => version !== undefined && (compareVersions(version, other) ?? 0) < 0
  return { update_available: below(settings.latestAgentVersion), unsupported: below(settings.minSupportedVersion) }
}
