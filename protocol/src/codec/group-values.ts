import { BatchError } from './batch-error.ts'
import {
  type BitReader,
  type BitWriter,
  readNumber,
  readResiduals,
  residualBits,
  writeNumber,
  writeResiduals,
  zigzag,
} from './bits.ts'
import type { Runs } from './layout.ts'
import { decimalsOf, POWERS, WHOLE_LIMIT } from './value-column.ts'

/**
 * How the values of one group are written, in 4 bits: `0` to `9` decimals, as n / 10^d; then, with 4 bits for d, float32(n / 10^d); float32 and
 * float64 by their bits. A bit before says that all is as in the group before, so that neighbours of one precision cost one bit.
 */
const DECIMAL_SINGLE = 10
const SINGLE = 11
const DOUBLE = 12
const MODE_BITS = 4

interface Mode {
  kind: number
  /** of DECIMAL_SINGLE; else 0 */
  decimals: number
}

/** Runs of one group, in batch order: numbers of runs. */
type Group = number[]

/** Runs by group, groups in the order of their first run. Machines of a kind have the same metrics, whose values resemble each other. */
function groupsOf({ series }: Runs, groupOf: (number: number) => number): Group[] {
  const groups = new Map<number, Group>()
  for (let run = 0; run < series.length; run++) {
    const key = groupOf(series[run] as number)
    const group = groups.get(key)
    if (group) group.push(run)
    else groups.set(key, [run])
  }
  return [...groups.values()]
}

/**
 * Writes the values of all runs, group by group: the first values of the runs, each as a difference to the one before or to the middle of all,
 * and then every other value as a difference to the one before in its run.
 * @param groupOf the group of a series number: series with the same metric and unit
 */
export function writeGroups(bits: BitWriter, values: Float64Array, runs: Runs, groupOf: (number: number) => number): void {
  const wholes = new Float64Array(values.length)
  const column = new Float64Array(values.length)
  const codes = new Float64Array(values.length)
  let before: Mode = { kind: 0, decimals: 0 }
  for (const group of groupsOf(runs, groupOf)) {
    let count = 0
    for (const run of group)
      for (let i = runs.starts[run] as number, end = runs.starts[run + 1] as number; i < end; i++)
        column[count++] = values[i] as number
    const mode = toWholes(column.subarray(0, count), wholes, before)
    writeMode(bits, mode, before)
    before = mode
    writeWholes(bits, wholes, group, runs.starts, codes)
    if (mode.kind === DOUBLE) for (let i = 0; i < count; i++) writeLow(bits, column[i] as number)
  }
}

function writeMode(bits: BitWriter, { kind, decimals }: Mode, before: Mode): void {
  const isSame = kind === before.kind && decimals === before.decimals
  bits.write(isSame ? 1 : 0, 1)
  if (isSame) return
  bits.write(kind, MODE_BITS)
  if (kind === DECIMAL_SINGLE) bits.write(decimals, MODE_BITS)
}

/** Values as whole numbers, in the shortest mode that gives every one back bit by bit. */
function toWholes(column: Float64Array, wholes: Float64Array, before: Mode): Mode {
  let isSingle = true
  for (let i = 0; i < column.length; i++) {
    const value = column[i] as number
    if (!Number.isFinite(value)) throw new BatchError('bad_number', `value ${value} is not finite`)
    if (Math.fround(value) !== value) isSingle = false
  }
  // One value costs less with a decimal more, as its neighbour has, than with a mode of its own.
  if (
    column.length === 1 &&
    isWholeIn(column[0] as number, before.kind - 1) &&
    decimalsOf(column, wholes, false, before.kind) === before.kind
  )
    return before
  const decimals = decimalsOf(column, wholes, false)
  if (decimals >= 0) return { kind: decimals, decimals: 0 }
  const ofSingle = isSingle ? decimalsOf(column, wholes, true) : -1
  if (ofSingle >= 0) return { kind: DECIMAL_SINGLE, decimals: ofSingle }
  for (let i = 0; i < column.length; i++) wholes[i] = highOf(column[i] as number, isSingle)
  return { kind: isSingle ? SINGLE : DOUBLE, decimals: 0 }
}

/** Whether a value needs exactly these decimals. */
function isWholeIn(value: number, decimals: number): boolean {
  if (decimals < 0 || decimals >= POWERS.length - 1) return false
  const isIn = (d: number) => Math.round(value * (POWERS[d] as number)) / (POWERS[d] as number) === value
  return isIn(decimals) && (decimals === 0 || !isIn(decimals - 1))
}

const view = new DataView(new ArrayBuffer(8))

/** The bits of a float32, or the high half of those of a float64, as a whole number that grows with the value. */
function highOf(value: number, isSingle: boolean): number {
  if (isSingle) view.setFloat32(0, value)
  else view.setFloat64(0, value)
  const high = view.getUint32(0)
  return high >= 2 ** 31 ? -(high - 2 ** 31) - 1 : high
}

function setHigh(whole: number): void {
  if (whole >= 2 ** 31 || whole < -(2 ** 31)) throw new BatchError('bad_number', 'a value is out of range')
  view.setUint32(0, whole < 0 ? 2 ** 31 + (-whole - 1) : whole)
}

function writeLow(bits: BitWriter, value: number): void {
  view.setFloat64(0, value)
  bits.write(view.getUint16(6), 16)
  bits.write(view.getUint16(4), 16)
}

/** @param codes room for as many numbers as there are values */
function writeWholes(bits: BitWriter, wholes: Float64Array, group: Group, starts: Uint32Array, codes: Float64Array): void {
  const firsts = new Float64Array(group.length)
  let rest = 0
  let at = 0
  for (const [g, run] of group.entries()) {
    const length = (starts[run + 1] as number) - (starts[run] as number)
    firsts[g] = wholes[at] as number
    for (let i = 1; i < length; i++) codes[rest++] = zigzag((wholes[at + i] as number) - (wholes[at + i - 1] as number))
    at += length
  }
  writeFirsts(bits, firsts)
  if (rest > 0) writeResiduals(bits, codes, rest)
}

function writeFirsts(bits: BitWriter, firsts: Float64Array): void {
  const count = firsts.length
  if (count === 1) {
    writeNumber(bits, firsts[0] as number)
    return
  }
  const middle = Math.round(firsts.reduce((sum, n) => sum + n / count, 0))
  const toMiddle = firsts.map((n) => zigzag(n - middle))
  const toBefore = firsts.subarray(1).map((n, i) => zigzag(n - (firsts[i] as number)))
  const isMiddle = residualBits(toMiddle, count) < residualBits(toBefore, count - 1)
  bits.write(isMiddle ? 1 : 0, 1)
  writeNumber(bits, isMiddle ? middle : (firsts[0] as number))
  writeResiduals(bits, isMiddle ? toMiddle : toBefore, isMiddle ? count : count - 1)
}

/** Reads what {@link writeGroups} wrote; throws `bad_number` for a value that is not finite. */
export function readGroups(bits: BitReader, values: Float64Array, runs: Runs, groupOf: (number: number) => number): void {
  let mode: Mode = { kind: 0, decimals: 0 }
  for (const group of groupsOf(runs, groupOf)) {
    mode = readMode(bits, mode)
    readWholes(bits, values, group, runs.starts)
    for (const run of group) toValues(mode, values, runs.starts[run] as number, runs.starts[run + 1] as number, bits)
  }
}

function readMode(bits: BitReader, before: Mode): Mode {
  if (bits.read(1) === 1) return before
  const kind = bits.read(MODE_BITS)
  const decimals = kind === DECIMAL_SINGLE ? bits.read(MODE_BITS) : 0
  if (kind > DOUBLE || decimals >= POWERS.length)
    throw new BatchError('malformed', `there is no value mode ${kind} with ${decimals} decimals`)
  return { kind, decimals }
}

function readWholes(bits: BitReader, values: Float64Array, group: Group, starts: Uint32Array): void {
  const isMiddle = group.length > 1 && bits.read(1) === 1
  let whole = readNumber(bits)
  const residual = group.length > 1 ? readResiduals(bits) : () => 0
  const base = whole
  let rest = 0
  for (let g = 0; g < group.length; g++) {
    const run = group[g] as number
    const start = starts[run] as number
    if (isMiddle) whole = base + residual()
    else if (g > 0) whole += residual()
    values[start] = checked(whole)
    rest += (starts[run + 1] as number) - start - 1
  }
  if (rest === 0) return
  const difference = readResiduals(bits)
  for (const run of group)
    for (let i = (starts[run] as number) + 1, end = starts[run + 1] as number; i < end; i++)
      values[i] = checked((values[i - 1] as number) + difference())
}

function checked(whole: number): number {
  if (!(whole <= WHOLE_LIMIT && whole >= -WHOLE_LIMIT)) throw new BatchError('bad_number', 'a value is out of range')
  return whole
}

/** Turns whole numbers into the values that they stand for, in place. */
function toValues({ kind, decimals }: Mode, values: Float64Array, start: number, end: number, bits: BitReader): void {
  const power = POWERS[kind < DECIMAL_SINGLE ? kind : decimals] as number
  for (let i = start; i < end; i++) {
    const whole = values[i] as number
    if (kind < DECIMAL_SINGLE) values[i] = whole / power
    else if (kind === DECIMAL_SINGLE) values[i] = Math.fround(whole / power)
    else {
      setHigh(whole)
      if (kind === DOUBLE) {
        view.setUint16(6, bits.read(16))
        view.setUint16(4, bits.read(16))
      }
      const value = kind === SINGLE ? view.getFloat32(0) : view.getFloat64(0)
      if (!Number.isFinite(value)) throw new BatchError('bad_number', 'a value is not finite')
      values[i] = value
    }
  }
}
