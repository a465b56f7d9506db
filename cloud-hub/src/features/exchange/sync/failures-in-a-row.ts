import { ErpUnavailable } from '../providers/index.ts'

const MAX_FAILURES = 5

/** An ERP that fails on one call after another cannot be used now, whatever the records are. */
export class FailuresInARow {
  #count = 0

  /**
   * @param isFailed the ERP failed on every record of a call; a record that it rejects is no failure
   * @param message of the last failure
   * @throws ErpUnavailable
   */
  add(isFailed: boolean, message: string): void {
    this.#count = isFailed ? this.#count + 1 : 0
    if (this.#count >= MAX_FAILURES)
      throw new ErpUnavailable('unreachable', `The ERP failed ${MAX_FAILURES} times in a row, so the run ends. ${message}`)
  }
}
