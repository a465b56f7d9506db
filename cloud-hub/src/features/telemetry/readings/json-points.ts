const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The longest: a comma, the text around, a year of six digits, and a double such as -1.2345678901234567e-300. */
const MAX_POINT_BYTES = 80
const [COMMA, CLOSE, ZERO] = [0x2c, 0x7d, 0x30]

/**
 * Formats points as the inside of a JSON array, `{"timestamp":"2026-01-31T12:00:00.000Z","value":61.5},...`, as bytes: text that is
 * joined and then encoded takes twice as long, and formatting is most of the time of a long answer.
 * @param times Unix ms, whole
 * @param values finite, as many
 */
export function jsonPoints(times: Float64Array, values: Float64Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(times.length * MAX_POINT_BYTES)
  let length = 0
  /** the text of the day's points until the value, and where in it the time of day begins */
  let [day, pattern, clockAt] = [Number.NaN, Buffer.alloc(0), 0]
  for (let i = 0; i < times.length; i++) {
    const at = times[i] as number
    if (!(at >= day && at < day + DAY_MS)) {
      day = Math.floor(at / DAY_MS) * DAY_MS
      pattern = Buffer.from(`{"timestamp":"${new Date(day).toISOString()}","value":`)
      clockAt = pattern.indexOf('T00:') + 1
    }
    if (i > 0) bytes[length++] = COMMA
    bytes.set(pattern, length)
    writeClock(bytes, length + clockAt, at - day)
    length += pattern.length
    const value = `${values[i]}`
    for (let k = 0; k < value.length; k++) bytes[length++] = value.charCodeAt(k)
    bytes[length++] = CLOSE
  }
  return bytes.subarray(0, length)
}

/** Writes the digits of `12:00:00.000`, and leaves the separators. @param ms of the day */
function writeClock(bytes: Buffer, at: number, ms: number): void {
  writeTwoDigits(bytes, at, Math.floor(ms / HOUR_MS))
  writeTwoDigits(bytes, at + 3, Math.floor(ms / 60_000) % 60)
  writeTwoDigits(bytes, at + 6, Math.floor(ms / 1_000) % 60)
  bytes[at + 9] = ZERO + (Math.floor(ms / 100) % 10)
  writeTwoDigits(bytes, at + 10, ms % 100)
}

function writeTwoDigits(bytes: Buffer, at: number, x: number): void {
  bytes[at] = ZERO + Math.floor(x / 10)
  bytes[at + 1] = ZERO + (x % 10)
}
