import { hostname } from 'node:os'
import path from 'node:path'
import { unitSymbol } from '@haltless/protocol'
import {
  coerceLocalizedText,
  coerceQualifiedName,
  DataType,
  DataValue,
  MessageSecurityMode,
  makeEUInformation,
  type Namespace,
  OPCUACertificateManager,
  OPCUAServer,
  SecurityPolicy,
  StatusCodes,
  type UAObject,
  type UAVariable,
  Variant,
} from 'node-opcua'
import { type OpcUaMachine, type OpcUaTag, PLANT_NAMESPACE } from './machines.ts'

export interface OpcUaServer {
  port: number
  endpointUrl: string
  stop(): Promise<void>
}

/** What a node shows when read. */
type ReadValue = (machine: OpcUaMachine, metric: string) => { value: number; changedAt: number }

/**
 * An OPC UA server with a folder per machine under `Objects/Plant`. It offers no security and Basic256Sha256, lets anybody in, and takes
 * every client's certificate: it stands for a plant network, not for a safe one.
 * @param pkiDir where its key and certificate are kept; made at first start
 */
export async function startOpcUaServer(
  host: string,
  port: number,
  pkiDir: string,
  machines: OpcUaMachine[],
  readValue: ReadValue,
): Promise<OpcUaServer> {
  const certificates = new OPCUACertificateManager({
    rootFolder: path.join(pkiDir, 'pki'),
    automaticallyAcceptUnknownCertificate: true,
  })
  const server = new OPCUAServer({
    host,
    // what its endpoints are called; else node-opcua would ask the resolver for this computer's full name
    hostname: host === '0.0.0.0' || host === '::' ? hostname() : host,
    port,
    serverCertificateManager: certificates,
    userCertificateManager: certificates,
    securityPolicies: [SecurityPolicy.None, SecurityPolicy.Basic256Sha256],
    securityModes: [MessageSecurityMode.None, MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt],
    allowAnonymous: true,
    serverInfo: { applicationName: coerceLocalizedText('Haltless simulated plant') },
    buildInfo: { productName: 'Haltless simulated plant', manufacturerName: 'Haltless' },
    maxConnectionsPerEndpoint: 100,
    serverCapabilities: { maxSessions: 100 },
  })
  await server.initialize()
  const { addressSpace } = server.engine
  if (!addressSpace) throw new Error('the OPC UA server has no address space')
  // index 2: 0 is the standard's namespace, 1 the server's own
  const namespace = addressSpace.registerNamespace(PLANT_NAMESPACE)
  const plant = namespace.addFolder(addressSpace.rootFolder.objects, { browseName: 'Plant', nodeId: 's=Plant' })
  for (const machine of machines) addMachine(namespace, plant, machine, readValue)
  try {
    await server.start()
  } catch (error) {
    await server.shutdown(0).catch(() => {})
    throw error
  }
  return {
    port: server.endpoints[0]?.port ?? port,
    endpointUrl: server.getEndpointUrl(),
    stop: () => server.shutdown(0),
  }
}

function addMachine(namespace: Namespace, plant: UAObject, machine: OpcUaMachine, readValue: ReadValue): void {
  const folder = namespace.addObject({ organizedBy: plant, browseName: machine.name, nodeId: `s=${machine.id}` })
  for (const tag of machine.tags) {
    const [, identifier = ''] = tag.nodeId.split(';')
    const variable = namespace.addVariable({
      componentOf: folder,
      nodeId: identifier,
      browseName: identifier.slice(identifier.indexOf('.') + 1),
      description: `${tag.metric} in ${tag.unit}`,
      dataType: tag.dataType,
      minimumSamplingInterval: 100,
      value: { timestamped_get: () => reading(tag, readValue(machine, tag.metric)) },
    })
    addUnit(namespace, variable, tag.unit)
  }
}

/** Source: OPC 10000-8, 5.3.2.2: EngineeringUnits */
function addUnit(namespace: Namespace, variable: UAVariable, unit: string): void {
  namespace.addVariable({
    propertyOf: variable,
    browseName: coerceQualifiedName('0:EngineeringUnits'),
    typeDefinition: 'PropertyType',
    dataType: 'EUInformation',
    value: {
      dataType: DataType.ExtensionObject,
      value: makeEUInformation(unit, unitSymbol(unit), unit),
    },
  })
}

/** The source timestamp stands still while the value does, as many controllers have it. */
function reading({ dataType }: OpcUaTag, { value, changedAt }: ReturnType<ReadValue>): DataValue {
  const variant =
    dataType === 'Boolean' ? { dataType: DataType.Boolean, value: value !== 0 } : { dataType: DataType[dataType], value }
  return new DataValue({ value: new Variant(variant), statusCode: StatusCodes.Good, sourceTimestamp: new Date(changedAt) })
}
