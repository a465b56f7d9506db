/**
 * The number that decimal digits of four bits each stand for.
 * @param digits how many, 1 to 8, in the low bits
 * @returns NaN when one of them is above 9
 */
export function fromBcd(bits: number, digits: number): number {
  let value = 0
  for (let shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    const digit = (bits >>> shift) & 0xf
    if (digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}
