/** Bytes `first` to `last`, both included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * The part of a file that a Range header asks for (RFC 9110, 14). Null: the whole file, also where the header is malformed, has
 * another unit or several ranges, as the standard permits. 'unsatisfiable': the range begins after the end.
 */
export function parseRange(header: string | null, size: number): ByteRange | null | 'unsatisfiable' {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replace(/[\t ]/g, '') ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return null
  if (from === '')
    return Number(to) === 0 || size === 0 ? 'unsatisfiable' : { first: Math.max(0, size - Number(to)), last: size - 1 }
  if (to !== '' && Number(to) < Number(from)) return null
  if (Number(from) >= size) return 'unsatisfiable'
  return { first: Number(from), last: to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}
