import { type Fault, fault } from '@haltless/protocol'
import type { ClientSession, DataValue, ReadValueId } from 'node-opcua'
import type { Clock } from '../../support/clock.ts'
import { deadline } from '../../support/deadline.ts'
import { FaultError } from '../../support/fault-error.ts'
import type { OpcUaSource, ProbeDeps } from '../collector.ts'
import type { RequestPacer } from '../request-pacer.ts'
import type { ServerCertificate } from './certificate.ts'
import { CLOSE_TIMEOUT_MS, checkSettings, type Library, newClient, untilAborted, urlOf, within } from './client.ts'
import { connectionFault, isOfCode, NoAnswer, OperatorActionRequired } from './connection-errors.ts'
import type { OwnCertificate } from './pki.ts'

/** Nodes per call, where the server names no limit, or a higher one. */
const MAX_NODES_PER_CALL = 1_000

/** A session with a server, from `open` until it is closed or lost; it never reconnects. */
export class ServerConnection {
  readonly opcua: Library
  readonly session: ClientSession
  /** the most nodes that one read may ask for */
  readonly nodesPerRead: number
  /** the most monitored items that one call may create */
  readonly itemsPerCall: number
  readonly #gone = new AbortController()
  readonly #pacer: RequestPacer
  readonly #clock: Clock
  readonly #disconnect: () => Promise<void>
  #reason = fault('opcua_connection_lost')
  #namespaces: Promise<string[] | null> | null = null

  private constructor(
    opcua: Library,
    session: ClientSession,
    limits: [read: number, items: number],
    disconnect: () => Promise<void>,
    pacer: RequestPacer,
    clock: Clock,
  ) {
    this.#pacer = pacer
    this.#clock = clock
    this.opcua = opcua
    this.session = session
    ;[this.nodesPerRead, this.itemsPerCall] = limits
    this.#disconnect = disconnect
    session.on('session_closed', () => this.lose(fault('opcua_session_closed')))
    session.on('keepalive_failure', () => this.lose(fault('opcua_silent')))
  }

  /** @throws OperatorActionRequired, or FaultError; also when `signal` aborts, and then nothing is left behind */
  static async open(source: OpcUaSource, deps: ProbeDeps, signal: AbortSignal, pacer: RequestPacer): Promise<ServerConnection> {
    checkSettings(source.config)
    const { opcua, client, store, own } = await newClient(source, deps)
    const disconnect = () => within(CLOSE_TIMEOUT_MS, client.disconnect())
    const { username, password, security_mode: mode } = source.config
    let isMakingSession = false
    const connect = async (): Promise<ServerConnection> => {
      await client.connect(await urlOf(source, deps))
      if (signal.aborted) throw new FaultError(fault('stopped'))
      isMakingSession = true
      const session = await client.createSession(
        username === undefined
          ? { type: opcua.UserTokenType.Anonymous }
          : { type: opcua.UserTokenType.UserName, userName: username, password: password ?? '' },
      )
      const paced = (read: { nodeId: string; attributeId: number }) => pacer.run(() => session.read(read), deps.clock, signal)
      const connection = new ServerConnection(opcua, session, await limitsOf(opcua, paced), disconnect, pacer, deps.clock)
      const lost = () => connection.lose(fault('opcua_connection_lost'))
      client.on('connection_lost', lost).on('close', lost).on('abort', lost)
      return connection
    }
    const connecting = connect()
    try {
      await untilAborted(connecting, signal)
      if (signal.aborted) throw new FaultError(fault('stopped'))
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
  get reason(): Fault {
    return this.#reason
  }

  lose(reason: Fault): void {
    if (this.#gone.signal.aborted) return
    this.#reason = reason
    this.#gone.abort()
  }

  /**
   * Values of some nodes, with timestamps of the source or the server. We build the request ourselves: `session.read` converts every
   * node again each time and requests both.
   * @throws Error with the name of the service's status in its message; when no answer comes within `timeoutMs`
   */
  read(nodesToRead: ReadValueId[], timeoutMs: number, isServerTime = false): Promise<DataValue[]> {
    const request = this.#readRequest(nodesToRead, timeoutMs, isServerTime)
    return this.paced(() => this.#transact(request, timeoutMs))
  }

  /**
   * Reads the clock of the server. The middle of the exchange is when it did so, give or take half of its duration.
   * @returns how far it is ahead of the uncorrected clock of this program; null: the server does not tell
   * @throws Error like {@link read}
   */
  clockDifference(timeoutMs: number): Promise<{ differenceMs: number; uncertaintyMs: number } | null> {
    const { AttributeIds, ReadValueId, VariableIds } = this.opcua
    const node = new ReadValueId({ nodeId: `i=${VariableIds.Server_ServerStatus_CurrentTime}`, attributeId: AttributeIds.Value })
    const request = this.#readRequest([node], timeoutMs, false)
    // Within the limits of the device: a wait for them is no part of the exchange.
    return this.paced(async () => {
      const sentAt = this.#clock.monotonic()
      const [answer] = await this.#transact(request, timeoutMs)
      const uncertaintyMs = (this.#clock.monotonic() - sentAt) / 2
      const time: unknown = answer?.value?.value
      if (!(time instanceof Date) || answer?.statusCode.isNotGood()) return null
      return { differenceMs: time.getTime() - (this.#clock.now() - uncertaintyMs), uncertaintyMs }
    })
  }

  #readRequest(nodesToRead: ReadValueId[], timeoutMs: number, isServerTime: boolean): object {
    const { Source, Server } = this.opcua.TimestampsToReturn
    const request = new this.opcua.ReadRequest({
      requestHeader: { timeoutHint: timeoutMs },
      maxAge: 0,
      timestampsToReturn: isServerTime ? Server : Source,
    })
    request.nodesToRead = nodesToRead
    return request
  }

  /** Runs one request to the server within the limits of the device. */
  paced<T>(request: () => Promise<T>): Promise<T> {
    return this.#pacer.run(request, this.#clock, this.gone)
  }

  #transact(request: object, timeoutMs: number): Promise<DataValue[]> {
    const session = this.session as unknown as Transactions
    return new Promise((resolve, reject) => {
      // The library has timeouts too, but none below 5 s.
      const timeout = deadline(timeoutMs, () => reject(new NoAnswer()))
      session.performMessageTransaction(request, (error, response) => {
        timeout.cancel()
        if (error) reject(error)
        else resolve(response?.results ?? [])
      })
    })
  }

  /** The NamespaceArray of this session, read once: a server may not renumber it meanwhile. null: the server does not show it. */
  namespaces(): Promise<string[] | null> {
    this.#namespaces ??= this.readNamespaces().catch((error) => {
      this.#namespaces = null
      throw error
    })
    return this.#namespaces
  }

  /** What the NamespaceArray holds now; a server may add to it. Source: OPC 10000-5, 6.3.1 */
  async readNamespaces(): Promise<string[] | null> {
    const { VariableIds, AttributeIds } = this.opcua
    const nodeId = `i=${VariableIds.Server_NamespaceArray}`
    const { statusCode, value } = await this.paced(() => this.session.read({ nodeId, attributeId: AttributeIds.Value }))
    const uris: unknown = value.value
    return statusCode.isGood() && Array.isArray(uris) && uris.length > 0 ? uris.map((uri) => String(uri ?? '')) : null
  }

  /** How many nodes, or items, one request of a kind may name; Infinity where the server names no limit. */
  async operationLimit(name: 'MaxNodesPerHistoryReadData' | 'MaxNodesPerBrowse'): Promise<number> {
    const { VariableIds, AttributeIds } = this.opcua
    const nodeId = `i=${VariableIds[`Server_ServerCapabilities_OperationLimits_${name}`]}`
    const { statusCode, value } = await this.paced(() => this.session.read({ nodeId, attributeId: AttributeIds.Value }))
    return (statusCode.isGood() && Number(value.value)) || Number.POSITIVE_INFINITY
  }

  /** Closes session and channel; prompt even when the server no longer answers. */
  async close(): Promise<void> {
    this.lose(fault('closed_by_agent'))
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
async function limitsOf(
  { AttributeIds, VariableIds }: Library,
  read: (node: { nodeId: string; attributeId: number }) => Promise<DataValue>,
): Promise<[read: number, items: number]> {
  const ids = [
    VariableIds.Server_ServerCapabilities_OperationLimits_MaxNodesPerRead,
    VariableIds.Server_ServerCapabilities_OperationLimits_MaxMonitoredItemsPerCall,
  ]
  const limits: number[] = []
  // One at a time: MaxNodesPerRead may be 1
  for (const id of ids) {
    const { statusCode, value } = await read({ nodeId: `i=${id}`, attributeId: AttributeIds.Value })
    const limit = statusCode.isGood() ? Number(value.value) : 0
    limits.push(limit > 0 ? Math.min(limit, MAX_NODES_PER_CALL) : MAX_NODES_PER_CALL)
  }
  return limits as [number, number]
}

/** What an operator acts on. */
function untrusted({ config }: OpcUaSource, deps: ProbeDeps, { thumbprint, subject }: ServerCertificate): OperatorActionRequired {
  if (config.server_thumbprint !== undefined)
    return new OperatorActionRequired(fault('opcua_other_certificate', { subject, thumbprint }))
  const advice = deps.trustAdvice(thumbprint)
  return new OperatorActionRequired(fault('opcua_server_untrusted', { subject, thumbprint, advice }))
}

/** A server that does not trust us often closes the connection without a message during the handshake. */
function securedFault(error: unknown, { thumbprint }: OwnCertificate): FaultError {
  const found = connectionFault(error)
  const reason = found.fault
  if (isOfCode(reason, 'opcua_client_untrusted'))
    return new OperatorActionRequired(fault('with_own_thumbprint', { reason, thumbprint }))
  if (!isOfCode(reason, 'opcua_connection_closed')) return found
  return new FaultError(fault('opcua_closed_while_secured', { reason, thumbprint }))
}
