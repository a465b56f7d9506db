const collator = new Intl.Collator(undefined, { numeric: true })

/** Compares names as people sort them, as the API does: numbers in them by value, `press 2` before `press 10`. */
export const compareNames = (a: string, b: string): number => collator.compare(a, b)
