import { hash } from 'node:crypto'
import { type Fault, fault } from '@haltless/protocol'
import { ErpUnavailable } from '../providers/index.ts'

const MAX_RECORDS = 1_000_000
/** In a row; a link that was followed before ends the run at once. */
const MAX_PAGES_WITHOUT_NEW = 100

/** 52 bits of the hash, as a number: the sets hold up to a million of them, whatever the ERP sends. */
const short = (text: string): number => Number.parseInt(hash('sha256', text, 'hex').slice(0, 13), 16)

/** The bounds of one pull: only the ERP knows how many pages it has, and the pages of some lead in a circle or never end. */
export class PullBounds {
  readonly #links = new Set<number>()
  readonly #assets = new Set<number>()
  #records: number
  #pagesWithoutNew = 0

  /** @param records that the run has processed already, before this process continued it */
  constructor(records: number) {
    this.#records = records
  }

  /**
   * Notes a page that the ERP has answered.
   * @returns `added`: the ids that no earlier page had; `end`: why the next page must not be fetched, null when it may
   */
  note(externalIds: readonly string[], nextPage: string | null): { added: ReadonlySet<string>; end: ErpUnavailable | null } {
    const added = new Set(externalIds.filter((id) => !this.#assets.has(short(id))))
    for (const id of added) this.#assets.add(short(id))
    this.#records += externalIds.length
    this.#pagesWithoutNew = added.size > 0 ? 0 : this.#pagesWithoutNew + 1
    return { added, end: nextPage === null ? null : this.#endBefore(nextPage) }
  }

  #endBefore(nextPage: string): ErpUnavailable | null {
    if (this.#links.has(short(nextPage))) return endless(fault('erp_pages_in_circle'))
    this.#links.add(short(nextPage))
    if (this.#pagesWithoutNew >= MAX_PAGES_WITHOUT_NEW)
      return endless(fault('erp_pages_without_new', { count: MAX_PAGES_WITHOUT_NEW }))
    return this.#records < MAX_RECORDS ? null : endless(fault('erp_too_many_assets'))
  }
}

const endless = (found: Fault) => new ErpUnavailable('maintenance', found)
