/** The same keys as the English catalogue, with texts of any wording. */
export type Same<T> = { readonly [K in keyof T]: T[K] extends string ? string : Same<T[K]> }
