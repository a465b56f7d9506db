import type { Schemas } from '../../api/client.ts'
import { csvLines } from '../../kit/csv.ts'
import { agentFaults } from './agent-faults.ts'

const COLUMNS = [
  'agent_id',
  'hostname',
  'agent_version',
  'online',
  'last_seen',
  'update_available',
  'unsupported',
  'buffer_count',
  'buffer_age_hours',
  'buffer_full_in_hours',
  'dropped_count',
  'dead_letter_count',
  'missed_poll_count',
  'credential',
] as const

/** The shown agents as CSV. */
export function fleetCsv(agents: readonly Schemas['FleetAgent'][]): string {
  const rows = agents.map((agent) => [
    ...COLUMNS.map((column) => agent[column]),
    agentFaults(agent)
      .map(({ kind, detail, collector }) => [kind, collector === undefined ? detail : `${collector}: ${detail}`].join(' '))
      .join('; '),
  ])
  return csvLines([[...COLUMNS, 'faults'], ...rows])
}
