import { compareVersions, type Fault, fault, type ReleaseManifest, ReleaseVersion, type UpdateReport } from '@haltless/protocol'

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
  skipped: Skipped | null
}

/** Why an agent takes no part; `fault` is null where an older agent said so. */
export interface Skipped {
  text: string
  fault: Fault | null
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
): Skipped | null {
  const because = (found: Fault): Skipped => ({ text: found.detail, fault: found })
  if (!updateReport) return because(fault('agent_version_without_updates', { version: agentVersion }))
  if (!updateReport.accepts) return becauseOf(updateReport)
  const { platform = 'unknown' } = updateReport
  if (!files.some((file) => file.platform === platform)) return because(fault('agent_platform_missing', { platform }))
  if (!ReleaseVersion.safeParse(agentVersion).success)
    return because(fault('agent_version_not_comparable', { version: agentVersion }))
  if (compareVersions(agentVersion, version) >= 0) return because(fault('agent_version_same', { version: agentVersion }))
  if (compareVersions(agentVersion, min_source_version) < 0)
    return because(fault('agent_version_too_old', { version: agentVersion, minimum: min_source_version }))
  return null
}

function becauseOf({ why_not, why_not_fault }: UpdateReport): Skipped {
  const unexplained = fault('agent_takes_no_updates')
  return why_not === undefined
    ? { text: unexplained.detail, fault: unexplained }
    : { text: why_not, fault: why_not_fault ?? null }
}
