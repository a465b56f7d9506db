import type { Fault } from '@haltless/protocol'

/** An error whose message is the English text of a fault. */
export class FaultError extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.detail)
    this.fault = fault
  }
}
