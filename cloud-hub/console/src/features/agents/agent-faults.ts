import type { Schemas } from '../../api/client.ts'

export interface AgentFault {
  kind: 'conflict' | 'deadLetters' | 'dropped' | 'sources' | 'clock' | 'collector'
  detail: string
  /** `detail` as a fault, where it has a code */
  fault?: Schemas['Fault'] | null
  /** whose state `detail` is */
  collector?: string
}

/** A collector without fault says this. */
export const isRunning = (state: string): boolean => /^(?:running|starting)/.test(state)

/** A clock that differs by more makes times wrong that people compare. */
const CLOCK_MS = 10_000

/** What an administrator should do something about, the most urgent first. */
export function agentFaults(agent: Schemas['FleetAgent']): AgentFault[] {
  const faults: AgentFault[] = []
  if (agent.conflict_at) faults.push({ kind: 'conflict', detail: agent.conflict_hostname ?? '?' })
  for (const [name, state] of Object.entries(agent.collectors))
    if (!isRunning(state))
      faults.push({ kind: 'collector', collector: name, detail: state, fault: agent.collector_faults?.[name] ?? null })
  if (agent.sources?.fault) faults.push({ kind: 'sources', detail: agent.sources.fault, fault: agent.sources.revision_fault })
  if (agent.dead_letter_count) faults.push({ kind: 'deadLetters', detail: String(agent.dead_letter_count) })
  if (agent.dropped_count) faults.push({ kind: 'dropped', detail: String(agent.dropped_count) })
  if (agent.clock_offset_ms !== null && Math.abs(agent.clock_offset_ms) > CLOCK_MS)
    faults.push({ kind: 'clock', detail: String(Math.round(agent.clock_offset_ms / 1000)) })
  return faults
}
