/** What a value in the address may be. A value that is not valid is left out, so that an old link still opens its page. */
type Reader<T> = (text: string) => T | undefined

export const text: Reader<string> = (value) => value.slice(0, 200) || undefined
export const flag: Reader<'1'> = (value) => (value === '1' ? '1' : undefined)
export const positive: Reader<number> = (value) => (/^[1-9]\d{0,6}$/.test(value) ? Number(value) : undefined)
export const uuid: Reader<string> = (value) => (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) ? value : undefined)
export const instant: Reader<string> = (value) => (Number.isNaN(Date.parse(value)) ? undefined : new Date(value).toISOString())
/** A date of this or the next centuries: a calendar cannot go on from the ends of what a date holds. */
export const day: Reader<string> = (value) =>
  /^2[01]\d\d-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined
/** Any origin: what it takes for a path stays on it. */
const HERE = 'https://console.invalid'
/** A path of this console; never another site, however it is written. */
export const path: Reader<string> = (value) => {
  if (!value.startsWith('/') || !URL.canParse(value, HERE)) return undefined
  const { origin, pathname, search, hash } = new URL(value, HERE)
  return origin === HERE && !pathname.startsWith('//') ? pathname + search + hash : undefined
}
export const oneOf =
  <const T extends string>(values: readonly T[]): Reader<T> =>
  (value) =>
    values.find((known) => known === value)

/**
 * Validates the search values of a route. A value that is not valid becomes undefined: the router would use the one of the address
 * where the key is missing.
 */
export const fields =
  <R extends Record<string, Reader<unknown>>>(readers: R) =>
  (given: Record<string, unknown>): { [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined> } => {
    const found: Record<string, unknown> = {}
    for (const [name, read] of Object.entries(readers)) {
      const value = given[name]
      if (value !== undefined) found[name] = value === null ? undefined : read(String(value))
    }
    return found as { [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined> }
  }
