import { fault } from '@haltless/protocol'
import type { EntityAddress } from '../entity-address.ts'
import { type ErpAnswer, isObject } from '../erp-http.ts'
import { ErpUnavailable } from '../provider.ts'

/** Below the maximum of 500 that Oracle documents. */
const LIMIT = 200

/** `nextPage` is the offset and the first id of the page before, to recognise an ERP that ignores the offset. */
export const offsetOf = (page: string | null): number => Number(page?.split(' ', 1)[0] ?? 0)
const firstIdOf = (page: string | null): string | null => (page === null ? null : page.slice(page.indexOf(' ') + 1))

export const pageUrl = ({ url, key }: EntityAddress, page: string | null): string =>
  `${url}?limit=${LIMIT}&offset=${offsetOf(page)}&orderBy=${encodeURIComponent(key)}`

/**
 * @param count items of this page
 * @returns null after the last page: `hasMore` is false, or, of an ERP that does not send it, the page is empty or the same again
 */
export function nextPageOf(answer: ErpAnswer, page: string | null, count: number, firstId: string): string | null {
  const hasMore = isObject(answer.json) ? answer.json.hasMore : undefined
  if (count === 0 || hasMore === false) return null
  if (firstId === '' || firstId !== firstIdOf(page)) return `${offsetOf(page) + count} ${firstId}`
  // An ERP that ignores the offset may have sent its whole list at once, unless the limit cut it.
  if (hasMore === undefined && count !== LIMIT) return null
  throw new ErpUnavailable('maintenance', fault('erp_page_repeated'), answer)
}
