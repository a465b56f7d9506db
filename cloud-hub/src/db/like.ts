/** A pattern of LIKE for texts that contain this one: `%` and `_` in it stand for themselves. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
