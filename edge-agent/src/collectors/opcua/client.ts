import { fault } from '@haltless/protocol'
import type { EndpointDescription } from 'node-opcua'
import { FaultError } from '../../support/fault-error.ts'
import type { Logger, OpcUaSource, ProbeDeps } from '../collector.ts'
import { connectionFault, OperatorActionRequired } from './connection-errors.ts'
import { openPki } from './pki.ts'
import { TrustStore } from './trust-store.ts'

export type Library = typeof import('node-opcua')

const CONNECT_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 10_000
/** A server that allows one session keeps a dead one for this long after a crash of ours. */
const SESSION_TIMEOUT_MS = 30_000
/** How long an orderly goodbye may take. */
export const CLOSE_TIMEOUT_MS = 2_000

/** node-opcua takes 0.7 s and 100 MB to load: only who polls OPC UA pays for it. */
async function library(logger: Logger): Promise<Library> {
  const opcua = await import('node-opcua')
  // Its own lines would go to stdout, between ours
  const toDebug = (_context: unknown, ...words: unknown[]) => logger.debug({ library: 'node-opcua' }, words.map(String).join(' '))
  opcua.setWarningLogger(toDebug)
  opcua.setErrorLogger(toDebug)
  return opcua
}

/** `opc.tcp://address:port/path` for the one address that may be dialled. */
export async function urlOf(
  { host, port, config }: OpcUaSource,
  { resolveHost }: Pick<ProbeDeps, 'resolveHost'>,
): Promise<string> {
  const address = resolveHost ? await resolveHost(host, port) : host
  const path = config.endpoint_path.replace(/^\/*/, '/')
  return `opc.tcp://${address.includes(':') ? `[${address.replace(/^\[|\]$/g, '')}]` : address}:${port}${path === '/' ? '' : path}`
}

/**
 * Passwords are sent on encrypted channels only: with security_mode SignAndEncrypt. With others, Sign included, the library sends
 * them in the clear when the server's token policy says so. The standard allows that, and the policy can be forged.
 * @throws OperatorActionRequired for settings that contradict this, or each other
 */
export function checkSettings({ security_mode: mode, security_policy: policy, username, password }: OpcUaSource['config']): void {
  if ((username !== undefined || password !== undefined) && mode !== 'SignAndEncrypt') {
    throw new OperatorActionRequired(fault('opcua_password_unencrypted'))
  }
  if (username === undefined && password !== undefined) throw new OperatorActionRequired(fault('opcua_password_without_user'))
  if ((mode === 'None') !== (policy === 'None')) {
    throw new OperatorActionRequired(fault('opcua_security_mismatch', { mode, policy }))
  }
}

export async function newClient(source: OpcUaSource | null, deps: ProbeDeps) {
  const opcua = await library(deps.logger)
  const pki = openPki(deps.pkiDir, deps.logger)
  const own = await pki.own()
  const store = new TrustStore(pki, opcua.StatusCodes, source?.config.server_thumbprint)
  const client = opcua.OPCUAClient.create({
    applicationName: 'Haltless',
    applicationUri: own.applicationUri,
    clientName: source?.name ?? 'Haltless',
    certificateFile: own.certificateFile,
    privateKeyFile: own.privateKeyFile,
    clientCertificateManager: store,
    securityMode: opcua.MessageSecurityMode[source?.config.security_mode ?? 'None'],
    securityPolicy: opcua.SecurityPolicy[source?.config.security_policy ?? 'None'],
    // One attempt: the library would otherwise try for ever, and reconnect behind our back
    connectionStrategy: { maxRetry: 0, initialDelay: 100, maxDelay: 200 },
    transportTimeout: CONNECT_TIMEOUT_MS,
    defaultTransactionTimeout: REQUEST_TIMEOUT_MS,
    requestedSessionTimeout: SESSION_TIMEOUT_MS,
    keepSessionAlive: true,
    // Servers name themselves as they like to be called, which is often not what they are called from here
    endpointMustExist: false,
  })
  return { opcua, client, store, own }
}

/** The endpoints that a server offers, read over an unsecured channel without a session. @throws Error in plain words */
export async function discover(source: OpcUaSource, deps: ProbeDeps, signal: AbortSignal): Promise<EndpointDescription[]> {
  try {
    const { client } = await newClient(null, deps)
    try {
      const asking = urlOf(source, deps).then(async (url) => {
        if (!signal.aborted) await client.connect(url)
        return client.getEndpoints()
      })
      await untilAborted(asking, signal)
      if (signal.aborted) throw new FaultError(fault('stopped'))
      return await asking
    } finally {
      await within(CLOSE_TIMEOUT_MS, client.disconnect())
    }
  } catch (error) {
    throw connectionFault(error)
  }
}

/** Settles with `work`, or as soon as `signal` aborts; rejects with `work`. */
export function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', done)
    work.then(done, (error) => {
      reject(error)
      done()
    })
  })
}

/** Waits for `work`, but not longer; what becomes of it afterwards does not matter. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => {}), patience])
  clearTimeout(timer)
}
