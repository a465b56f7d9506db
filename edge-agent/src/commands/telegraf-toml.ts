export type Table = Record<string, unknown>

export const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)
/** `[[inputs.modbus]]`; `[inputs.modbus]` is a list of one. */
export const tables = (value: unknown): Table[] => (isTable(value) ? [value] : Array.isArray(value) ? value.filter(isTable) : [])
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== ''
    ? value
    : typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : undefined
export const number = (value: unknown): number | undefined =>
  (typeof value === 'number' || typeof value === 'string') && value !== '' && Number.isFinite(Number(value))
    ? Number(value)
    : undefined

/** Seconds in a duration of Go, such as `1m30s`; undefined for none. */
export function seconds(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  const units: Record<string, number> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 }
  const parts = typeof value === 'string' ? [...value.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h|d)/g)] : []
  return parts.length === 0
    ? undefined
    : parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit as string] as number), 0)
}

/** As a setting of the agent has them, a minute at most. */
export const milliseconds = (duration: number, min: number): number =>
  Math.min(60_000, Math.max(min, Math.round(duration * 1_000)))

/** Tags as a table, or as the list of pairs that older OPC UA inputs have. */
export const tagsOf = (value: unknown): Table =>
  isTable(value)
    ? value
    : Array.isArray(value)
      ? Object.fromEntries(value.filter(Array.isArray).map(([key, content]) => [String(key), content]))
      : {}
