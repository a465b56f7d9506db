import { compareVersions, type ReleaseManifest, ReleaseVersion, type UpdateReport } from '@haltless/protocol'

/** An agent that may take part in a rollout. */
export interface Candidate {
  agentId: string
  agentVersion: string
  updateReport: UpdateReport | null
}

/** An agent of a rollout, with its wave from 1, or why it takes no part. */
export interface Selected {
  agentId: string
  fromVersion: string
  wave: number
  skipped: string | null
}

/** Agents that cannot take the version are skipped, the others divided into waves in the given order; the last wave has what remains. */
export function selectForRollout(
  candidates: readonly Candidate[],
  manifest: ReleaseManifest,
  waveSizes: readonly number[],
): Selected[] {
  const waves = waveSizes.flatMap((size, index) => Array<number>(size).fill(index + 1))
  let place = 0
  return candidates.map((candidate) => {
    const skipped = whySkipped(candidate, manifest)
    const wave = skipped === null ? (waves[place++] ?? waveSizes.length + 1) : 0
    return { agentId: candidate.agentId, fromVersion: candidate.agentVersion, wave, skipped }
  })
}

function whySkipped(
  { agentVersion, updateReport }: Candidate,
  { version, min_source_version, files }: ReleaseManifest,
): string | null {
  if (!updateReport) return `its version ${agentVersion} does not take updates from the hub`
  if (!updateReport.accepts) return updateReport.why_not ?? 'it takes no updates'
  if (!files.some(({ platform }) => platform === updateReport.platform)) return `there is no archive for ${updateReport.platform}`
  if (!ReleaseVersion.safeParse(agentVersion).success) return `its version ${agentVersion} cannot be compared`
  if (compareVersions(agentVersion, version) >= 0) return `it has version ${agentVersion}`
  if (compareVersions(agentVersion, min_source_version) < 0)
    return `its version ${agentVersion} is older than ${min_source_version}`
  return null
}
