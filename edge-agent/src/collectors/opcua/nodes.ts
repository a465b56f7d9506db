import { fault, type OpcUaConfig } from '@haltless/protocol'
import type { ReadValueId } from 'node-opcua'
import type { ServerConnection } from './connection.ts'
import { type Namespaces, NoNode, needsNamespaces } from './namespaces.ts'
import { nodeIdOf } from './node-id.ts'
import type { ValueConverter } from './values.ts'

/** A configured node with a valid node id. */
export interface Node {
  /** place of its entry in the configuration */
  readonly index: number
  readonly read: ReadValueId
}

/** The nodes of a session, and the namespaces that the server has. */
export interface SessionNodes {
  nodes: Node[]
  /** some node was refused for its namespace, which the server may add later */
  isNamespaceMissing: boolean
}

/**
 * The nodes with a valid node id; the others get a bad status. Beside `ns=2;s=...` a node id may name its namespace by URI
 * (`nsu=http://acme.example/press;s=...`), which stays valid when a server renumbers its namespaces.
 * @param isRemembered whether the namespaces of this session may become the remembered ones
 */
export async function nodesOf(
  connection: ServerConnection,
  config: OpcUaConfig,
  values: ValueConverter,
  namespaces: Namespaces,
  isRemembered: boolean,
): Promise<SessionNodes> {
  const { opcua } = connection
  const nodeIds = config.nodes.map(({ node_id }) => node_id)
  const found = nodeIds.some(needsNamespaces) ? await connection.namespaces() : null
  const nodeIdNow = await namespaces.begin(nodeIds, found, isRemembered)
  const nodes: Node[] = []
  let isNamespaceMissing = false
  for (const [index, { node_id: text, index_range }] of config.nodes.entries()) {
    const now = nodeIdNow(text)
    if (now instanceof NoNode) {
      values.refuse(index, now.fault)
      isNamespaceMissing = true
      continue
    }
    const nodeId = nodeIdOf(opcua, now.trim())
    if (!nodeId) {
      values.refuse(index, fault('opcua_invalid_node_id'))
      continue
    }
    const indexRange = index_range === undefined ? undefined : new opcua.NumericRange(String(index_range))
    nodes.push({ index, read: new opcua.ReadValueId({ nodeId, attributeId: opcua.AttributeIds.Value, indexRange }) })
  }
  return { nodes, isNamespaceMissing }
}
