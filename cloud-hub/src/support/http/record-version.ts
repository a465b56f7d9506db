import { createHash } from 'node:crypto'
import { z } from './z.ts'

/** The version of a record in answers. */
export const RecordVersion = z
  .string()
  .describe(
    'Changes when a person changes the record, and never by what the hub or a machine does. Opaque. Send it as `If-Match` with a change that must not overwrite that of somebody else.',
  )
  .openapi({ example: 'kJ3vX0cQm1Zt8yPd' })

/** JSON with the keys of every object in order, so that equal values have one text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/**
 * Adds its version to the answer about a record: 96 bits of SHA-256 over the fields of the answer that a person can change. So no table
 * holds it, and whatever writes these fields moves it.
 * @param patch what a change can set; fields that the answer lacks, such as passwords, do not count
 * @param machineMade fields of `patch` that the hub sets too
 * @returns takes the answer, and what else of the record a person changes that the answer does not show, such as sealed secrets
 */
export function versionedBy(patch: { shape: object }, machineMade: readonly string[] = []) {
  const names = Object.keys(patch.shape)
    .filter((name) => !machineMade.includes(name))
    .sort()
  return <Answer extends object>(answer: Answer, hidden: unknown = null): Answer & { version: string } => {
    const fields = names.map((name) => (answer as Record<string, unknown>)[name] ?? null)
    const digest = createHash('sha256')
      .update(canonical([fields, hidden]))
      .digest()
    return { ...answer, version: digest.subarray(0, 12).toString('base64url') }
  }
}
