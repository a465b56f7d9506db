import { AREAS, type Area, type S7Address } from './address.ts'

/** Bytes of an answer before its items, and before the data of each. Source: Wireshark's S7comm dissector */
const ANSWER_HEADER = 14
const ITEM_HEADER = 4
const REQUEST_HEADER = 12
export const ITEM_REQUEST = 12
/** CPUs take no more items in a request. */
const MAX_ITEMS = 20
/** Neighbours this far apart are read as one: an item of its own costs more bytes. */
const MAX_GAP = 8

interface Item extends S7Address {
  /** place of its entry in the configuration */
  readonly index: number
}

/** Bytes of one area that are read together, and the values in them. */
export interface AddressRange {
  readonly area: Area
  readonly block: number
  /** first byte; for timers and counters their number */
  readonly start: number
  /** bytes */
  readonly length: number
  readonly items: readonly Item[]
}

/** The most bytes of a range, within a negotiated PDU. */
const maxBytes = (pduBytes: number): number => pduBytes - ANSWER_HEADER - ITEM_HEADER

/** The fewest ranges that hold all values, each within one answer. A text that fits into no answer is read as far as it does. */
export function planRanges(addresses: readonly S7Address[], pduBytes: number): AddressRange[] {
  const limit = maxBytes(pduBytes)
  const sorted = addresses
    .map((address, index) => ({ ...address, length: Math.min(address.length, limit), index }))
    .sort((a, b) => a.area - b.area || a.block - b.block || a.start - b.start)
  const runs: Item[][] = []
  let end = 0
  for (const item of sorted) {
    const run = runs.at(-1)
    const first = run?.[0]
    const itemEnd = item.start + item.length
    const isNeighbour =
      first !== undefined &&
      first.area === item.area &&
      first.block === item.block &&
      item.area !== AREAS.timers &&
      item.area !== AREAS.counters &&
      item.start - end <= MAX_GAP &&
      Math.max(end, itemEnd) - first.start <= limit
    if (run && isNeighbour) run.push(item)
    else runs.push([item])
    end = isNeighbour ? Math.max(end, itemEnd) : itemEnd
  }
  return runs.map(rangeOf)
}

/** Each value of a range by itself. */
export const split = ({ items }: AddressRange): AddressRange[] => items.map((item) => rangeOf([item]))

function rangeOf(items: readonly Item[]): AddressRange {
  const { area, block, start } = items[0] as Item
  const end = items.reduce((furthest, item) => Math.max(furthest, item.start + item.length), 0)
  return { area, block, start, length: end - start, items }
}

/** Ranges that share a request: as many as request and answer hold. */
export function packRequests(ranges: readonly AddressRange[], pduBytes: number): AddressRange[][] {
  const requests: AddressRange[][] = []
  let answer = 0
  for (const range of ranges) {
    const request = requests.at(-1)
    const cost = ITEM_HEADER + range.length + (range.length % 2)
    const fits =
      request !== undefined &&
      request.length < MAX_ITEMS &&
      REQUEST_HEADER + (request.length + 1) * ITEM_REQUEST <= pduBytes &&
      answer + cost <= pduBytes
    if (fits) request.push(range)
    else requests.push([range])
    answer = fits ? answer + cost : ANSWER_HEADER + cost
  }
  return requests
}
