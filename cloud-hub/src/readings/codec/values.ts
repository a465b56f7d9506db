import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { CorruptReadings } from './corrupt.ts'
import { findExponent, POWERS } from './decimals.ts'
import { decodeFloats, encodeFloats, isSingle, skipFloats } from './floats.ts'
import { assertRange, type Form } from './format.ts'
import { readPlanes, skipPlanes, writePlanes } from './planes.ts'
import { addToPredictions, bestPredictor, LAST_VALUE, MAX_KIND, residualsOf } from './predictors.ts'
import { decodeRuns, encodeRuns, skipRuns } from './runs.ts'
import { scratchIntegers, scratchResiduals } from './scratch.ts'

/** The upper four bits of the first byte. The lower four are the power of ten of the first three. */
const [CONSTANT, RUNS, RESIDUALS, SINGLES, DOUBLES] = [1, 2, 3, 4, 5]

/**
 * Encodes the finite values `from` to `to` (exclusive), bit by bit: decimals as integers with a common power of ten, others as
 * floats.
 * @param guess the exponent of the series so far; only the hot form trusts it
 * @returns the exponent of these values, the next guess
 * @throws RangeError for a value that is not finite
 */
export function encodeValues(out: ByteWriter, values: Float64Array, from: number, to: number, form: Form, guess = 0): number {
  const count = to - from
  assertRange(values, from, count)
  const exponent = findExponent(values, from, to, form === 'hot' ? guess : 0)
  if (exponent < 0) {
    const size = isSingle(values, from, to) ? 4 : 8
    out.byte((size === 4 ? SINGLES : DOUBLES) << 4)
    encodeFloats(out, values, from, to, size, form)
    return 0
  }
  const integers = scratchIntegers(count)
  let changes = 0
  for (let i = 1; i < count; i++) if (integers[i] !== integers[i - 1]) changes++
  if (changes === 0) {
    out.byte((CONSTANT << 4) | exponent)
    out.zigzag(integers[0] as number)
  } else if (changes * (form === 'hot' ? 8 : 5) < count) {
    out.byte((RUNS << 4) | exponent)
    encodeRuns(out, integers, count, changes + 1, form)
  } else {
    const kind = form === 'sealed' && count >= 64 ? bestPredictor(integers, count) : LAST_VALUE
    out.byte((RESIDUALS << 4) | exponent)
    out.byte(kind)
    out.zigzag(integers[0] as number)
    const residuals = scratchResiduals(count)
    const max = residualsOf(integers, count, kind, residuals)
    writePlanes(out, residuals, count - 1, max, form)
  }
  return exponent
}

/** Decodes `count` values into an array, from index `at` on. All are finite. */
export function decodeValues(input: ByteReader, into: Float64Array, at: number, count: number, form: Form): void {
  assertRange(into, at, count)
  const head = input.byte()
  const layout = head >> 4
  const exponent = head & 15
  if (exponent >= POWERS.length) throw new CorruptReadings(`values of exponent ${exponent}`)
  if (layout === SINGLES || layout === DOUBLES) decodeFloats(input, into, at, count, layout === SINGLES ? 4 : 8, form)
  else if (layout === CONSTANT) into.fill(input.zigzag() / (POWERS[exponent] as number), at, at + count)
  else if (layout === RUNS) decodeRuns(input, exponent, into, at, count, form)
  else if (layout === RESIDUALS) {
    const kind = readPredictor(input)
    const first = input.zigzag()
    into[at] = first / (POWERS[exponent] as number)
    const planes = readPlanes(input, count - 1, form)
    addToPredictions(planes, kind, first, count - 1, exponent, into, at + 1)
  } else throw new CorruptReadings(`values of layout ${layout}`)
}

/** Passes over what {@link decodeValues} reads. */
export function skipValues(input: ByteReader, count: number, form: Form): void {
  const layout = input.byte() >> 4
  if (layout === SINGLES || layout === DOUBLES) skipFloats(input, count, layout === SINGLES ? 4 : 8, form)
  else if (layout === CONSTANT) input.zigzag()
  else if (layout === RUNS) skipRuns(input, count, form)
  else if (layout === RESIDUALS) {
    readPredictor(input)
    input.zigzag()
    skipPlanes(input, count - 1, form)
  } else throw new CorruptReadings(`values of layout ${layout}`)
}

function readPredictor(input: ByteReader): number {
  const kind = input.byte()
  if (kind < LAST_VALUE || kind > MAX_KIND) throw new CorruptReadings(`values of predictor ${kind}`)
  return kind
}
