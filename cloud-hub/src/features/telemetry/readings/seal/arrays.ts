/** A PostgreSQL array literal of numbers or ids, to be cast: `${arrayOf(ids)}::text::int[]`. */
export const arrayOf = (items: readonly (string | number)[]): string => `{${items.join()}}`

/** The same of bytea, in hexadecimal. */
export const bytesArrayOf = (items: readonly Buffer[]): string =>
  `{${items.map((bytes) => `"\\\\x${bytes.toString('hex')}"`).join()}}`
