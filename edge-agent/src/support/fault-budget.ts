import type { Fault } from '@haltless/protocol'

/** Characters of JSON. A heartbeat has two lists of faults, and may have 1 MiB. */
const MAX_CHARS = 200_000

/** @returns a function that says whether the next fault of a heartbeat still fits; where it does not, its sentence goes alone */
export function faultBudget(): (found: Fault) => boolean {
  let chars = 0
  return (found) => {
    chars += JSON.stringify(found).length
    return chars <= MAX_CHARS
  }
}
