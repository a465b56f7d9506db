import type { Receipt } from '@haltless/protocol'

/** A receipt is valid only when it accounts for every reading of the batch exactly once. */
export function coversBatch({ accepted_count, rejected_count, errors }: Receipt, count: number): boolean {
  const indexes = new Set(errors.map(({ index }) => index))
  return (
    accepted_count + rejected_count === count &&
    errors.length === rejected_count &&
    indexes.size === errors.length &&
    errors.every(({ index }) => index < count)
  )
}
