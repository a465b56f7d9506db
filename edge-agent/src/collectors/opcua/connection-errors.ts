import { type Fault, type FaultCode, fault } from '@haltless/protocol'
import type { StatusCode } from 'node-opcua'
import { errorFault } from '../../support/error-message.ts'
import { FaultError } from '../../support/fault-error.ts'

/** What an operator can do about a value's status. Others are shown by their name. */
const STATUSES = {
  BadNodeIdUnknown: 'opcua_node_unknown',
  BadNodeIdInvalid: 'opcua_node_id_refused',
  BadAttributeIdInvalid: 'opcua_no_variable',
  BadNotReadable: 'opcua_not_readable',
  BadUserAccessDenied: 'opcua_access_denied',
  BadSecurityModeInsufficient: 'opcua_encrypted_only',
  BadWaitingForInitialData: 'opcua_no_value_yet',
  BadNoCommunication: 'opcua_device_disconnected',
  BadNotConnected: 'opcua_device_disconnected',
  BadDeviceFailure: 'opcua_device_failure',
  BadSensorFailure: 'opcua_sensor_failure',
  BadOutOfService: 'opcua_out_of_service',
} as const

/** Why a value is not used: `the sensor reports a failure (BadSensorFailure)`. */
export function statusFault({ name, value }: StatusCode): Fault {
  const quality = value >>> 30 === 1 ? 'opcua_uncertain_quality' : 'opcua_bad_quality'
  return fault(Object.hasOwn(STATUSES, name) ? STATUSES[name as keyof typeof STATUSES] : quality, { status: name })
}

/** A connection error that an operator must resolve; retrying alone will not. */
export class OperatorActionRequired extends FaultError {}

/** A refused login. Retried rarely, for servers lock accounts after a few wrong passwords. */
export class LoginRejected extends OperatorActionRequired {}

/** A request got no answer in its time. */
export class NoAnswer extends FaultError {
  constructor() {
    super(fault('opcua_slow'))
  }
}

/** What the messages of the library mean, which have no code of their own. */
const CONNECTION_FAULTS: [RegExp, Fault, typeof FaultError][] = [
  [/BadTooManySessions|BadMaxConnectionsReached/, fault('opcua_too_many_sessions'), FaultError],
  [/BadIdentityToken(Rejected|Invalid)|BadUserAccessDenied/, fault('opcua_login_refused'), LoginRejected],
  [/user token policy/i, fault('opcua_login_not_offered'), OperatorActionRequired],
  [
    /Cannot find an Endpoint|End point must exist|BadSecurityPolicyRejected|BadSecurityModeRejected/i,
    fault('opcua_security_not_offered'),
    OperatorActionRequired,
  ],
  [/BadSecurityChecksFailed|BadCertificate/, fault('opcua_client_untrusted'), OperatorActionRequired],
  [/BadTcpEndpointUrlInvalid/, fault('opcua_endpoint_unknown'), OperatorActionRequired],
  [/BadLicenseExpired|BadLicenseLimitsExceeded/, fault('opcua_licence'), OperatorActionRequired],
  [/BadServerHalted|BadShutdown/, fault('opcua_shutdown'), FaultError],
  [
    /Bad(SessionIdInvalid|SessionClosed|SecureChannelClosed|ConnectionClosed|SecureChannelIdInvalid)/,
    fault('opcua_connection_lost'),
    FaultError,
  ],
  [/premature|disconnected by third party|socket has been/i, fault('opcua_connection_closed'), FaultError],
  [/BadTimeout|timed out|timeout/i, fault('opcua_no_answer'), FaultError],
]

/** What went wrong with a connection, and whether somebody must act (OperatorActionRequired). The library's own words stay in the log. */
export function connectionFault(error: unknown): FaultError {
  if (error instanceof FaultError) return error
  const message = error instanceof Error ? error.message : String(error)
  for (const [pattern, reason, FaultClass] of CONNECTION_FAULTS) {
    if (!pattern.test(message)) continue
    const status = /\bBad[A-Z]\w+/.exec(message)?.[0]
    return new FaultClass(status ? fault('with_status', { reason, status }) : reason)
  }
  return new FaultError(errorFault(error))
}

/** Whether a fault is of this code, perhaps with a status. */
export const isOfCode = ({ code, params: { reason } }: Fault, wanted: FaultCode): boolean =>
  code === wanted || (code === 'with_status' && typeof reason === 'object' && reason.code === wanted)

/** The server answered that it cannot do this, and the session lives on. */
export function isServiceFault(error: unknown): boolean {
  const answer = (error as { response?: { responseHeader?: { serviceResult?: StatusCode } } }).response
  const name = answer?.responseHeader?.serviceResult?.name
  return name !== undefined && !/Session|SecureChannel|Connection|Shutdown|Halted/.test(name)
}
