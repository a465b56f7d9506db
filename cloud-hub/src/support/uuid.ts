import { randomFillSync } from 'node:crypto'

const RANDOM_BYTES = 10
const pool = new Uint8Array(RANDOM_BYTES * 64)
let used = pool.length
let [lastMs, sequence] = [0, 0]

/**
 * A time-ordered UUID. UUIDs created in this process ascend in order of creation, also within a millisecond. Source: RFC 9562,
 * 5.7 (version 7) and 6.2 method 1 (12 bits of `rand_a` count within a millisecond)
 */
export function uuidv7(now = Date.now()): string {
  if (now > lastMs) [lastMs, sequence] = [now, 0]
  else if (++sequence > 0xfff) [lastMs, sequence] = [lastMs + 1, 0]
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = Buffer.from(pool.buffer, pool.byteOffset + used, RANDOM_BYTES).toString('hex')
  used += RANDOM_BYTES
  const ms = lastMs.toString(16).padStart(12, '0')
  const variant = (8 + (Number.parseInt(random[0] as string, 16) & 3)).toString(16)
  const count = sequence.toString(16).padStart(3, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${count}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`
}
