import type { ClientSession, DataValue, EndpointDescription, ReadValueId } from 'node-opcua'
import type { Logger, OpcUaSource, ProbeDeps } from '../collector.ts'
import type { ServerCertificate } from './certificate.ts'
import { connectionFault, OperatorActionRequired } from './connection-errors.ts'
import { type OwnCertificate, openPki } from './pki.ts'
import { TrustStore } from './trust-store.ts'

type Library = typeof import('node-opcua')

const CONNECT_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 10_000
/** A server that allows one session keeps a dead one for this long after a crash of ours. */
const SESSION_TIMEOUT_MS = 30_000
/** How long an orderly goodbye may take. */
const CLOSE_TIMEOUT_MS = 2_000
/** Nodes per call, where the server names no limit, or a higher one. */
const MAX_NODES_PER_CALL = 1_000

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
async function urlOf({ host, port, config }: OpcUaSource, { resolveHost }: Pick<ProbeDeps, 'resolveHost'>): Promise<string> {
  const address = resolveHost ? await resolveHost(host) : host
  const path = config.endpoint_path.replace(/^\/*/, '/')
  return `opc.tcp://${address.includes(':') ? `[${address.replace(/^\[|\]$/g, '')}]` : address}:${port}${path === '/' ? '' : path}`
}

/**
 * Passwords are sent on encrypted channels only: with security_mode SignAndEncrypt. With others, Sign included, the library sends
 * them in the clear when the server's token policy says so. The standard allows that, and the policy can be forged.
 * @throws OperatorActionRequired for settings that contradict this, or each other
 */
function checkSettings({ security_mode: mode, security_policy: policy, username, password }: OpcUaSource['config']): void {
  if ((username !== undefined || password !== undefined) && mode !== 'SignAndEncrypt') {
    throw new OperatorActionRequired('a user name and password are only sent with security_mode SignAndEncrypt')
  }
  if (username === undefined && password !== undefined) throw new OperatorActionRequired('a password needs a username')
  if ((mode === 'None') !== (policy === 'None')) {
    throw new OperatorActionRequired(`security_mode ${mode} does not go with security_policy ${policy}`)
  }
}

async function newClient(source: OpcUaSource | null, deps: ProbeDeps) {
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
      if (signal.aborted) throw new Error('stopped')
      return await asking
    } finally {
      await within(CLOSE_TIMEOUT_MS, client.disconnect())
    }
  } catch (error) {
    throw connectionFault(error)
  }
}

/** A session with a server, from `open` until it is closed or lost; it never reconnects. */
export class ServerConnection {
  readonly opcua: Library
  readonly session: ClientSession
  /** the most nodes that one read may ask for */
  readonly nodesPerRead: number
  /** the most monitored items that one call may create */
  readonly itemsPerCall: number
  readonly #gone = new AbortController()
  readonly #disconnect: () => Promise<void>
  #reason = 'connection lost'

  private constructor(
    opcua: Library,
    session: ClientSession,
    limits: [read: number, items: number],
    disconnect: () => Promise<void>,
  ) {
    this.opcua = opcua
    this.session = session
    ;[this.nodesPerRead, this.itemsPerCall] = limits
    this.#disconnect = disconnect
    session.on('session_closed', () => this.lose('the server closed the session'))
    session.on('keepalive_failure', () => this.lose('the server no longer answers'))
  }

  /** @throws OperatorActionRequired, or Error in plain words; also when `signal` aborts, and then nothing is left behind */
  static async open(source: OpcUaSource, deps: ProbeDeps, signal: AbortSignal): Promise<ServerConnection> {
    checkSettings(source.config)
    const { opcua, client, store, own } = await newClient(source, deps)
    const disconnect = () => within(CLOSE_TIMEOUT_MS, client.disconnect())
    const { username, password, security_mode: mode } = source.config
    let isMakingSession = false
    const connect = async (): Promise<ServerConnection> => {
      await client.connect(await urlOf(source, deps))
      if (signal.aborted) throw new Error('stopped')
      isMakingSession = true
      const session = await client.createSession(
        username === undefined
          ? { type: opcua.UserTokenType.Anonymous }
          : { type: opcua.UserTokenType.UserName, userName: username, password: password ?? '' },
      )
      const connection = new ServerConnection(opcua, session, await limitsOf(opcua, session), disconnect)
      const lost = () => connection.lose('connection lost')
      client.on('connection_lost', lost).on('close', lost).on('abort', lost)
      return connection
    }
    const connecting = connect()
    try {
      await untilAborted(connecting, signal)
      if (signal.aborted) throw new Error('stopped')
      return await connecting
    } catch (error) {
      // A session that is being made is waited for, or a server that allows only one keeps it until it times out
      if (isMakingSession) await within(CLOSE_TIMEOUT_MS / 2, connecting)
      await disconnect()
      if (store.refused && mode !== 'None') throw untrusted(source, deps, store.refused)
      throw mode === 'None' ? connectionFault(error) : securedFault(error, own)
    }
  }

  /** Aborts when the session is lost or closed. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** Why it is gone. */
  get reason(): string {
    return this.#reason
  }

  lose(reason: string): void {
    if (this.#gone.signal.aborted) return
    this.#reason = reason
    this.#gone.abort()
  }

  /**
   * Values and source timestamps of some nodes. We build the request ourselves: `session.read` converts every node again each
   * time and requests server timestamps that we do not use.
   * @throws Error with the name of the service's status in its message
   */
  read(nodesToRead: ReadValueId[]): Promise<DataValue[]> {
    const request = new this.opcua.ReadRequest({ maxAge: 0, timestampsToReturn: this.opcua.TimestampsToReturn.Source })
    request.nodesToRead = nodesToRead
    const session = this.session as unknown as Transactions
    return new Promise((resolve, reject) => {
      session.performMessageTransaction(request, (error, response) => {
        if (error) reject(error)
        else resolve(response?.results ?? [])
      })
    })
  }

  /** Closes session and channel; prompt even when the server no longer answers. */
  async close(): Promise<void> {
    this.lose('closed')
    await this.#disconnect()
  }
}

/** A method that every node-opcua session has but its types do not declare. */
interface Transactions {
  performMessageTransaction(
    request: object,
    callback: (error: Error | null, response?: { results?: DataValue[] | null }) => void,
  ): void
}

/** Source: OPC 10000-5, 6.3.11: OperationLimits; 0 or nothing there means no limit. */
async function limitsOf({ AttributeIds, VariableIds }: Library, session: ClientSession): Promise<[read: number, items: number]> {
  const ids = [
    VariableIds.Server_ServerCapabilities_OperationLimits_MaxNodesPerRead,
    VariableIds.Server_ServerCapabilities_OperationLimits_MaxMonitoredItemsPerCall,
  ]
  const limits: number[] = []
  // One at a time: MaxNodesPerRead may be 1
  for (const id of ids) {
    const { statusCode, value } = await session.read({ nodeId: `i=${id}`, attributeId: AttributeIds.Value })
    const limit = statusCode.isGood() ? Number(value.value) : 0
    limits.push(limit > 0 ? Math.min(limit, MAX_NODES_PER_CALL) : MAX_NODES_PER_CALL)
  }
  return limits as [number, number]
}

/** The sentence that an operator acts on. */
function untrusted({ config }: OpcUaSource, deps: ProbeDeps, { thumbprint, subject }: ServerCertificate): OperatorActionRequired {
  const certificate = `${subject}, thumbprint ${thumbprint}`
  if (config.server_thumbprint !== undefined)
    return new OperatorActionRequired(`the server shows another certificate than server_thumbprint names: ${certificate}`)
  return new OperatorActionRequired(
    `the server's certificate is not trusted: ${certificate}. Compare the thumbprint with the one that the server shows, then ${deps.trustAdvice(thumbprint)}`,
  )
}

/** A server that does not trust us often closes the connection without a message during the handshake. */
function securedFault(error: unknown, { thumbprint }: OwnCertificate): Error {
  const fault = connectionFault(error)
  const ours = `(thumbprint of our certificate ${thumbprint})`
  if (/trust our certificate/.test(fault.message)) return new OperatorActionRequired(`${fault.message} ${ours}`)
  if (!/closed the connection/.test(fault.message)) return fault
  return new Error(`${fault.message} while it was being secured: perhaps it does not trust us yet ${ours}`)
}

/** Settles with `work`, or as soon as `signal` aborts; rejects with `work`. */
function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
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
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => {}), patience])
  clearTimeout(timer)
}
