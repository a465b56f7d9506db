import { BatchError } from './batch-error.ts'
import { type BitReader, type BitWriter, readResiduals, writeResiduals, zigzag } from './bits.ts'
import type { ByteReader, ByteWriter } from './bytes.ts'
import type { Runs } from './layout.ts'

/** How a run gets its timestamps: its own, those of the run before, those of the last run of the same machine. */
const OWN = 0
const AS_BEFORE = 1
const AS_MACHINE = 2

/** Up to here (the year 37,648) sums and differences are exact in a float64. */
const LIMIT = 2 ** 50

/** The one timestamp of all readings, or null. */
export function instantOf(timestamps: Float64Array): number | null {
  const at = timestamps[0] as number
  for (let i = 1; i < timestamps.length; i++) if (timestamps[i] !== at) return null
  return at
}

export function writeInstant(out: ByteWriter, at: number): void {
  check(at)
  out.signedVarint(at)
}

export function readInstant(from: ByteReader): number {
  const at = from.signedVarint()
  if (at > LIMIT || at < -LIMIT) throw new BatchError('bad_number', 'a timestamp is out of range')
  return at
}

/**
 * Writes the timestamps of every run: how each gets them, as (how, how many runs in a row), and those of its own. The first of a run's own
 * timestamps is a difference to the one before; the others are differences of differences among the bits.
 */
export function writeTimes(
  out: ByteWriter,
  bits: BitWriter,
  timestamps: Float64Array,
  { series, starts }: Runs,
  machineOf: (number: number) => number,
): void {
  const lastOf = new Map<number, number>()
  const modes = new Uint8Array(series.length)
  for (let run = 0; run < series.length; run++) {
    const machine = machineOf(series[run] as number)
    const last = lastOf.get(machine)
    if (run > 0 && isAlike(timestamps, starts, run - 1, run)) modes[run] = AS_BEFORE
    else if (last !== undefined && isAlike(timestamps, starts, last, run)) modes[run] = AS_MACHINE
    lastOf.set(machine, run)
  }
  let origin = 0
  for (let run = 0; run < series.length; ) {
    const mode = modes[run] as number
    const from = run
    while (run < series.length && modes[run] === mode) run++
    out.varint((run - from) * 3 + mode)
    if (mode !== OWN) continue
    for (let own = from; own < run; own++)
      origin = writeColumn(out, bits, timestamps.subarray(starts[own] as number, starts[own + 1] as number), origin)
  }
}

function isAlike(timestamps: Float64Array, starts: Uint32Array, other: number, run: number): boolean {
  const start = starts[run] as number
  const length = (starts[run + 1] as number) - start
  const first = starts[other] as number
  if (length > (starts[other + 1] as number) - first) return false
  for (let i = 0; i < length; i++) if (timestamps[start + i] !== timestamps[first + i]) return false
  return true
}

/** @returns its first timestamp */
function writeColumn(out: ByteWriter, bits: BitWriter, column: Float64Array, origin: number): number {
  for (const at of column) check(at)
  const first = column[0] as number
  out.signedVarint(first - origin)
  if (column.length === 1) return first
  const steps = new Float64Array(column.length - 1)
  for (let i = 1, delta = 0; i < column.length; i++) {
    const next = (column[i] as number) - (column[i - 1] as number)
    steps[i - 1] = zigzag(next - delta)
    delta = next
  }
  writeResiduals(bits, steps, steps.length)
  return first
}

function check(at: number): void {
  if (!Number.isInteger(at)) throw new BatchError('bad_number', `timestamp ${at} is not a whole number of milliseconds`)
  if (at > LIMIT || at < -LIMIT) throw new BatchError('bad_number', `timestamp ${at} is out of range`)
}

/** Reads what {@link writeTimes} wrote. */
export function readTimes(
  from: ByteReader,
  bits: () => BitReader,
  timestamps: Float64Array,
  { series, starts }: Runs,
  machineOf: (number: number) => number,
): void {
  const own: number[] = []
  const modes = new Uint8Array(series.length)
  for (let run = 0, origin = 0; run < series.length; ) {
    const code = from.varint()
    const [mode, several] = [code % 3, Math.floor(code / 3)]
    if (several === 0 || several > series.length - run)
      throw new BatchError('malformed', 'timestamps are for more runs than there are')
    modes.fill(mode, run, run + several)
    for (let i = run; i < run + several && mode === OWN; i++) {
      origin += from.signedVarint()
      if (origin > LIMIT || origin < -LIMIT) throw new BatchError('bad_number', 'a timestamp is out of range')
      timestamps[starts[i] as number] = origin
      own.push(i)
    }
    run += several
  }
  const ofBits = bits()
  for (const run of own) readColumn(ofBits, timestamps, starts[run] as number, starts[run + 1] as number)
  const lastOf = new Map<number, number>()
  for (let run = 0; run < series.length; run++) {
    const machine = machineOf(series[run] as number)
    if (modes[run] !== OWN) {
      const other = modes[run] === AS_BEFORE ? run - 1 : lastOf.get(machine)
      const start = starts[run] as number
      const length = (starts[run + 1] as number) - start
      if (other === undefined || other < 0 || length > (starts[other + 1] as number) - (starts[other] as number))
        throw new BatchError('malformed', 'a run shares the timestamps of one that has too few')
      timestamps.copyWithin(start, starts[other] as number, (starts[other] as number) + length)
    }
    lastOf.set(machine, run)
  }
}

function readColumn(bits: BitReader, timestamps: Float64Array, start: number, end: number): void {
  if (end - start === 1) return
  const next = readResiduals(bits)
  let at = timestamps[start] as number
  for (let i = start + 1, delta = 0; i < end; i++) {
    delta += next()
    at += delta
    if (!(at <= LIMIT && at >= -LIMIT)) throw new BatchError('bad_number', 'a timestamp is out of range')
    timestamps[i] = at
  }
}
