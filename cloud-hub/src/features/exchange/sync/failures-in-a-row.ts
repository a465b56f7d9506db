import { type Fault, fault } from '@haltless/protocol'
import { ErpUnavailable } from '../providers/index.ts'

const MAX_FAILURES = 5

/** An ERP that fails on one call after another cannot be used now, whatever the records are. */
export class FailuresInARow {
  #count = 0

  /**
   * @param isFailed the ERP failed on every record of a call; a record that it rejects is no failure
   * @param last the last failure
   * @throws ErpUnavailable
   */
  add(isFailed: boolean, last: Fault | null): void {
    this.#count = isFailed ? this.#count + 1 : 0
    if (this.#count >= MAX_FAILURES)
      throw new ErpUnavailable('unreachable', fault('erp_run_failed_in_a_row', { count: MAX_FAILURES, reason: last ?? '' }))
  }
}
