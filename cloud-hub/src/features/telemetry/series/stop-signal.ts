/** What shows that a machine is stopped; decision 30. */
export type StopSignal = { silentMs: number | null } & (
  | {
      /** the metric has one of these values while the machine is stopped */
      kind: 'state'
      stoppedValues: readonly number[]
    }
  | {
      /** the metric, for example a speed, lies below this limit while the machine is stopped */
      kind: 'level'
      limit: number
    }
  | {
      /** the metric counts parts, and grows by less than this limit while the machine is stopped */
      kind: 'count'
      limit: number
    }
  /** the machine sends no readings at all; every series of the machine carries this signal */
  | { kind: 'silence' }
)

/** Whether a reading shows that the machine is stopped. Counts and silence have no such readings. */
export function isStopped(signal: StopSignal, value: number): boolean {
  if (signal.kind === 'state') return signal.stoppedValues.includes(value)
  return signal.kind === 'level' && value < signal.limit
}

/** A signal as it is stored: its kind, limit, seconds of silence, and stopped values in JSON. */
export function stopSignalOf(stored: {
  name: StopSignal['kind']
  a: number | null
  b: number | null
  current: string | null
}): StopSignal {
  const silentMs = stored.b === null ? null : stored.b * 1_000
  if (stored.name === 'silence') return { kind: 'silence', silentMs }
  if (stored.name === 'state') return { kind: 'state', silentMs, stoppedValues: JSON.parse(stored.current ?? '[]') as number[] }
  return { kind: stored.name, silentMs, limit: stored.a as number }
}
