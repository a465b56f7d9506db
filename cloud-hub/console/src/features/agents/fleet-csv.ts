import type { Schemas } from '../../api/client.ts'
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

/** A spreadsheet takes a cell that begins so for a formula. Source: OWASP, "CSV Injection" */
const FORMULA = /^[=+\-@\t\r]/

const cell = (value: unknown) => {
  const text = value === null || value === undefined ? '' : String(value)
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The shown agents as CSV (RFC 4180), with a byte order mark for spreadsheets. */
export function fleetCsv(agents: readonly Schemas['FleetAgent'][]): string {
  const rows = agents.map((agent) => [
    ...COLUMNS.map((column) => agent[column]),
    agentFaults(agent)
      .map(({ kind, detail }) => `${kind} ${detail}`)
      .join('; '),
  ])
  return `\uFEFF${[[...COLUMNS, 'faults'], ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`
}
