import type { StatusCode } from 'node-opcua'
import { errorMessage } from '../../support/error-message.ts'

/** What an operator can do about a value's status. Others are shown by their name. */
const STATUS_MESSAGES: Record<string, string> = {
  BadNodeIdUnknown: 'the server has no such node',
  BadNodeIdInvalid: 'the server does not understand this node id',
  BadAttributeIdInvalid: 'the node is no variable',
  BadNotReadable: 'the node cannot be read',
  BadUserAccessDenied: 'this user may not read the node',
  BadSecurityModeInsufficient: 'the server shows this node on an encrypted connection only',
  BadWaitingForInitialData: 'the server has no value yet',
  BadNoCommunication: 'the server has lost its device',
  BadNotConnected: 'the server has lost its device',
  BadDeviceFailure: 'the device behind the server reports a failure',
  BadSensorFailure: 'the sensor reports a failure',
  BadOutOfService: 'the source is out of service',
}

/** Why a value is not used: `bad quality, the sensor reports a failure (BadSensorFailure)`. */
export function describeStatus(status: StatusCode): string {
  const { name } = status
  const quality = status.value >>> 30 === 1 ? 'uncertain quality' : 'bad quality'
  return STATUS_MESSAGES[name] ? `${STATUS_MESSAGES[name]} (${name})` : `${quality} (${name})`
}

/** A connection error that an operator must resolve; retrying alone will not. */
export class OperatorActionRequired extends Error {}

/** A refused login. Retried rarely, for servers lock accounts after a few wrong passwords. */
export class LoginRejected extends OperatorActionRequired {}

const NOT_OFFERED = 'the server does not offer this security_mode with this security_policy'
const DISTRUSTED = 'the server does not trust our certificate yet: trust it there'

type Fault = new (message: string) => Error

const CONNECTION_MESSAGES: [RegExp, string, Fault][] = [
  [/BadTooManySessions|BadMaxConnectionsReached/, 'the server allows no more sessions: another client holds them', Error],
  [
    /BadIdentityToken(Rejected|Invalid)|BadUserAccessDenied/,
    'the server refuses the login: wrong user name or password, or anonymous access is not allowed',
    LoginRejected,
  ],
  [/user token policy/i, 'the server takes no such login (see the logins that it offers)', OperatorActionRequired],
  [
    /Cannot find an Endpoint|End point must exist|BadSecurityPolicyRejected|BadSecurityModeRejected/i,
    NOT_OFFERED,
    OperatorActionRequired,
  ],
  [/BadSecurityChecksFailed|BadCertificate/, DISTRUSTED, OperatorActionRequired],
  [/BadTcpEndpointUrlInvalid/, 'the server knows no such endpoint_path', OperatorActionRequired],
  [/BadLicenseExpired|BadLicenseLimitsExceeded/, "the server's licence does not allow it", OperatorActionRequired],
  [/BadServerHalted|BadShutdown/, 'the server is shutting down', Error],
  [/Bad(SessionIdInvalid|SessionClosed|SecureChannelClosed|ConnectionClosed|SecureChannelIdInvalid)/, 'connection lost', Error],
  [/premature|disconnected by third party|socket has been/i, 'the server closed the connection', Error],
  [/BadTimeout|timed out|timeout/i, 'no answer in time', Error],
  [/no answer within/, 'the server no longer answers; if it is only slow, raise timeout_ms', Error],
]

/** What went wrong with a connection, and whether somebody must act (OperatorActionRequired). The library's own words stay in the log. */
export function connectionFault(error: unknown): Error {
  if (error instanceof OperatorActionRequired) return error
  const message = error instanceof Error ? error.message : String(error)
  for (const [pattern, text, FaultClass] of CONNECTION_MESSAGES) {
    if (!pattern.test(message)) continue
    const name = /\bBad[A-Z]\w+/.exec(message)?.[0]
    return new FaultClass(name ? `${text} (${name})` : text)
  }
  return new Error(errorMessage(error))
}

/** A request got no answer in its time. */
export const isNoAnswer = (error: unknown): boolean => error instanceof Error && /no answer within/.test(error.message)

/** The server answered that it cannot do this, and the session lives on. */
export function isServiceFault(error: unknown): boolean {
  const answer = (error as { response?: { responseHeader?: { serviceResult?: StatusCode } } }).response
  const name = answer?.responseHeader?.serviceResult?.name
  return name !== undefined && !/Session|SecureChannel|Connection|Shutdown|Halted/.test(name)
}
