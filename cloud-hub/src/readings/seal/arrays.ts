/**
 * A PostgreSQL array literal of numbers or ids, to be cast and unnested: `unnest(${arrayOf(ids)}::text::int[])`. As the operand of
 * `any` it would be parsed again for each row.
 */
export const arrayOf = (items: readonly (string | number)[]): string => `{${items.join()}}`
