import { type Fault, fault } from '@haltless/protocol'
import { FaultError } from '../../support/fault-error.ts'

/** Source: Modbus Application Protocol V1.1b3, 7 */
const EXCEPTIONS = {
  1: 'modbus_illegal_function',
  2: 'modbus_illegal_data_address',
  3: 'modbus_illegal_data_value',
  4: 'modbus_server_device_failure',
  5: 'modbus_acknowledge',
  6: 'modbus_server_device_busy',
  8: 'modbus_memory_parity_error',
  10: 'modbus_gateway_path_unavailable',
  11: 'modbus_gateway_target_failed',
} as const

/** The device answered that it cannot. */
export class ModbusException extends FaultError {
  readonly code: number

  constructor(code: number) {
    const known = EXCEPTIONS[code as keyof typeof EXCEPTIONS] ?? 'modbus_unknown_exception'
    super(fault(known, { exception: String(code).padStart(2, '0') }))
    this.code = code
  }

  /** The address, the quantity or the reading itself was refused: parts of the block may still be readable. */
  get isAboutTheBlock(): boolean {
    return this.code === 2 || this.code === 3 || this.code === 4
  }

  /** A gateway sent this exception because it cannot reach the unit. */
  get isAboutTheUnit(): boolean {
    return this.code === 10 || this.code === 11
  }
}

/** No answer to this request came in time. */
export class ResponseTimeout extends FaultError {}

/** An answer carried this request's transaction id but was no answer to it. */
export class InvalidResponse extends FaultError {}

/** There is no connection, or it went away before the answer came. */
export class ConnectionLost extends FaultError {
  /** milliseconds until the next connection attempt is due, 0: at once */
  readonly retryInMs: number
  /** this connection had answered before: it was probably closed for idleness, and a second try on a fresh one is worth it */
  readonly hadAnswered: boolean
  /** the device closed the connection while the request was under way */
  readonly wasInFlight: boolean

  constructor(found: Fault, retryInMs: number, hadAnswered = false, wasInFlight = false) {
    super(found)
    this.retryInMs = retryInMs
    this.hadAnswered = hadAnswered
    this.wasInFlight = wasInFlight
  }
}
