import { join } from 'node:path'
import {
  type BrowseResponse,
  coerceQualifiedName,
  DataType,
  DataValue,
  type MessageSecurityMode,
  makeEUInformation,
  NodeId,
  NodeIdType,
  OPCUACertificateManager,
  OPCUAServer,
  type SecurityPolicy,
  type StatusCode,
  StatusCodes,
  setErrorLogger,
  setWarningLogger,
  type UAObject,
  type UAVariable,
  Variant,
  VariantArrayType,
} from 'node-opcua'

export { DataType }

setErrorLogger(() => {})
setWarningLogger(() => {})

type Channel = { send_response(type: string, response: BrowseResponse, ...rest: unknown[]): void }
type BrowseHandler = (this: unknown, message: unknown, channel: Channel) => void

export interface SimulatorOptions {
  /** folder for its certificates, kept over restarts */
  dir: string
  port?: number
  securityModes?: MessageSecurityMode[]
  securityPolicies?: SecurityPolicy[]
  users?: Record<string, string>
  allowAnonymous?: boolean
  maxNodesPerRead?: number
  maxNodesPerBrowse?: number
  maxMonitoredItemsPerCall?: number
  maxSessions?: number
  maxNodesPerHistoryReadData?: number
  /** trust unknown clients, as most test servers do */
  trustClients?: boolean
  /** `opc.tcp://...` that it claims to be */
  advertised?: string
  /** URIs of its namespaces from index 2 on, each with a variable `Temp` of its own */
  namespaces?: string[]
}

/** A real OPC UA server on loopback whose variables, quality and timestamps a test sets by hand. */
export class OpcUaSimulator {
  readonly server: OPCUAServer
  readonly certificates: OPCUACertificateManager
  readonly #variables = new Map<string, UAVariable>()

  private constructor(server: OPCUAServer, certificates: OPCUACertificateManager) {
    this.server = server
    this.certificates = certificates
  }

  static async start(options: SimulatorOptions): Promise<OpcUaSimulator> {
    const certificates = new OPCUACertificateManager({
      rootFolder: join(options.dir, 'server-pki'),
      automaticallyAcceptUnknownCertificate: options.trustClients ?? true,
    })
    await certificates.initialize()
    const server = new OPCUAServer({
      host: '127.0.0.1',
      port: options.port ?? 0,
      serverCertificateManager: certificates,
      // without one node-opcua keeps another in the home folder
      userCertificateManager: certificates,
      securityModes: options.securityModes,
      securityPolicies: options.securityPolicies,
      allowAnonymous: options.allowAnonymous ?? true,
      advertisedEndpoints: options.advertised,
      maxConnectionsPerEndpoint: 50,
      serverInfo: { applicationName: { text: 'Plant simulator' } },
      serverCapabilities: {
        maxSessions: options.maxSessions ?? 50,
        operationLimits: {
          maxNodesPerRead: options.maxNodesPerRead ?? 0,
          maxNodesPerBrowse: options.maxNodesPerBrowse ?? 0,
          maxNodesPerHistoryReadData: options.maxNodesPerHistoryReadData ?? 0,
          maxMonitoredItemsPerCall: options.maxMonitoredItemsPerCall ?? 0,
        },
      },
      userManager: { isValidUser: (name: string, password: string) => options.users?.[name] === password },
    })
    const simulator = new OpcUaSimulator(server, certificates)
    await server.initialize()
    for (const uri of options.namespaces ?? []) simulator.addNamespace(uri)
    await server.start()
    return simulator
  }

  /** Registers a namespace, behind those that are there, with the variable `nsu={uri};s=Temp`; {@link set} knows it as the URI. */
  addNamespace(uri: string): void {
    const { space } = this.#space()
    const variable = space.registerNamespace(uri).addVariable({
      componentOf: space.rootFolder.objects.server,
      nodeId: 's=Temp',
      browseName: 'Temp',
      dataType: 'Double',
      value: { dataType: DataType.Double, value: 0 },
    })
    this.#variables.set(uri, variable)
  }

  /** Of each request for several nodes, only the first gets references, as at a server that is out of continuation points. */
  limitContinuationPoints(isLimited: boolean): void {
    const server = this.server as unknown as { _on_BrowseRequest?: BrowseHandler }
    delete server._on_BrowseRequest
    const answer = server._on_BrowseRequest as unknown as BrowseHandler
    if (!isLimited) return
    server._on_BrowseRequest = function (message, channel) {
      const send = channel.send_response.bind(channel)
      const limited = Object.create(channel)
      limited.send_response = (type: string, response: BrowseResponse, ...rest: unknown[]) => {
        for (const result of (response.results ?? []).slice(1)) {
          result.statusCode = StatusCodes.BadNoContinuationPoints
          result.references = null
        }
        return send(type, response, ...rest)
      }
      answer.call(this, message, limited)
    }
  }

  get port(): number {
    return (this.server.endpoints[0] as unknown as { port: number }).port
  }

  get namespaceUri(): string {
    return this.server.engine.addressSpace?.getOwnNamespace().namespaceUri ?? ''
  }

  /** A variable `ns=1;s={name}` whose value is made each time that it is read. */
  addComputed(name: string, dataType: DataType, read: () => DataValue): void {
    const addressSpace = this.server.engine.addressSpace
    if (!addressSpace) throw new Error('not initialized')
    addressSpace.getOwnNamespace().addVariable({
      componentOf: addressSpace.rootFolder.objects.server,
      nodeId: `s=${name}`,
      browseName: name,
      dataType: DataType[dataType],
      value: { timestamped_get: read },
    })
  }

  /** A folder `ns=1;s={name}`, below Objects or another folder. */
  folder(name: string, parent?: UAObject): UAObject {
    const { space, own } = this.#space()
    return own.addFolder(parent ?? space.rootFolder.objects, { browseName: name, nodeId: `s=${name}` })
  }

  /** A variable `ns=1;s={folder}.{name}` in a folder, with its unit. */
  addTo(folder: UAObject, name: string, dataType: DataType, value: unknown, unit?: string): void {
    const { own } = this.#space()
    const variable = own.addVariable({
      componentOf: folder,
      nodeId: `s=${folder.browseName.name}.${name}`,
      browseName: name,
      dataType: DataType[dataType],
      value: { dataType, arrayType: VariantArrayType.Scalar, value },
    })
    if (unit === undefined) return
    own.addVariable({
      propertyOf: variable,
      browseName: coerceQualifiedName('0:EngineeringUnits'),
      typeDefinition: 'PropertyType',
      dataType: 'EUInformation',
      value: { dataType: DataType.ExtensionObject, value: makeEUInformation(unit, unit, unit) },
    })
  }

  #space() {
    const space = this.server.engine.addressSpace
    if (!space) throw new Error('not initialized')
    return { space, own: space.getOwnNamespace() }
  }

  /** A variable `ns=1;s={name}`. */
  add(name: string, dataType: DataType, value: unknown, arrayType?: VariantArrayType): void {
    const addressSpace = this.server.engine.addressSpace
    if (!addressSpace) throw new Error('not initialized')
    const own = addressSpace.getOwnNamespace()
    const variable = own.addVariable({
      componentOf: addressSpace.rootFolder.objects.server,
      nodeId: new NodeId(NodeIdType.STRING, name, own.index),
      browseName: name,
      dataType: DataType[dataType],
      valueRank: arrayType ? 1 : -1,
      minimumSamplingInterval: 10,
      accessLevel: 'CurrentRead | CurrentWrite',
      userAccessLevel: 'CurrentRead | CurrentWrite',
    })
    this.#variables.set(name, variable)
    this.set(name, dataType, value, { arrayType })
  }

  /** From now on the server keeps the values of this variable, and clients may read them. */
  historize(name: string): void {
    const variable = this.#variables.get(name)
    if (!variable) throw new Error(`no variable ${name}`)
    this.server.engine.addressSpace?.installHistoricalDataNode(variable, { maxOnlineValues: 10_000 })
  }

  /** Sets a value, its quality (Good) and source timestamp (now). */
  set(
    name: string,
    dataType: DataType,
    value: unknown,
    {
      status = StatusCodes.Good,
      at = new Date(),
      arrayType,
    }: { status?: StatusCode; at?: Date; arrayType?: VariantArrayType } = {},
  ): void {
    const variable = this.#variables.get(name)
    if (!variable) throw new Error(`no variable ${name}`)
    variable.setValueFromSource(new Variant({ dataType, value, arrayType: arrayType ?? VariantArrayType.Scalar }), status, at)
  }

  remove(name: string): void {
    const variable = this.#variables.get(name)
    if (variable) this.server.engine.addressSpace?.deleteNode(variable)
    this.#variables.delete(name)
  }

  /** The clock of the server is ahead of this computer's by so many ms; null: it has none. */
  setClock(aheadMs: number | null): void {
    const now = () =>
      aheadMs === null
        ? new DataValue({ statusCode: StatusCodes.BadNotReadable })
        : new DataValue({ value: { dataType: DataType.DateTime, value: new Date(Date.now() + aheadMs) } })
    Object.assign(this.#space().space.findNode('i=2258') as UAVariable, { readValue: now })
  }

  get sessions(): number {
    return this.server.currentSessionCount
  }

  get subscriptions(): number {
    return this.server.currentSubscriptionCount
  }

  /** Stops the publishing of all subscriptions, while their sessions stay as they are. @returns how many there were */
  muteSubscriptions(): number {
    const sessions = Object.values((this.server.engine as unknown as { _sessions: Record<string, ServerSession> })._sessions)
    const subscriptions = sessions.flatMap((session) => Object.values(session.publishEngine?._subscriptions ?? {}))
    for (const subscription of subscriptions) subscription._stop_timer()
    return subscriptions.length
  }

  /** At once, without a goodbye to clients. */
  async stop(): Promise<void> {
    await this.server.shutdown(0)
    this.server.dispose()
    await this.certificates.dispose()
  }
}

/** What we need of node-opcua's insides to make a subscription fall silent. */
interface ServerSession {
  publishEngine?: { _subscriptions: Record<string, { _stop_timer(): void }> }
}
