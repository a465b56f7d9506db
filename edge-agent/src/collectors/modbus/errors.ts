/** Source: Modbus Application Protocol V1.1b3, 7 */
const EXCEPTIONS: Record<number, string> = {
  1: 'illegal function: the device does not know this kind of register',
  2: 'illegal data address: the device has no such register',
  3: 'illegal data value: the device refuses this read',
  4: 'server device failure',
  5: 'acknowledge: the device needs more time',
  6: 'server device busy',
  8: 'memory parity error',
  10: 'gateway path unavailable: the gateway is misconfigured or overloaded',
  11: 'the gateway gets no answer from the device behind it',
}

/** The device answered that it cannot. */
export class ModbusException extends Error {
  readonly code: number

  constructor(code: number) {
    super(`${EXCEPTIONS[code] ?? 'unknown exception'} (exception ${String(code).padStart(2, '0')})`)
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
export class ResponseTimeout extends Error {}

/** An answer carried this request's transaction id but was no answer to it. */
export class InvalidResponse extends Error {}

/** There is no connection, or it went away before the answer came. */
export class ConnectionLost extends Error {
  /** milliseconds until the next connection attempt is due, 0: at once */
  readonly retryInMs: number
  /** this connection had answered before: it was probably closed for idleness, and a second try on a fresh one is worth it */
  readonly hadAnswered: boolean
  /** the device closed the connection while the request was under way */
  readonly wasInFlight: boolean

  constructor(message: string, retryInMs: number, hadAnswered = false, wasInFlight = false) {
    super(message)
    this.retryInMs = retryInMs
    this.hadAnswered = hadAnswered
    this.wasInFlight = wasInFlight
  }
}
