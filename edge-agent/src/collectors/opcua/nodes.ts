import type { OpcUaConfig } from '@haltless/protocol'
import type { ReadValueId } from 'node-opcua'
import type { ServerConnection } from './connection.ts'
import type { ValueConverter } from './values.ts'

/** A configured node with a valid node id. */
export interface Node {
  /** place of its entry in the configuration */
  readonly index: number
  readonly read: ReadValueId
}

/**
 * The nodes with a valid node id; the others get a bad status. Beside `ns=2;s=...` a node id may name its namespace by URI
 * (`nsu=http://acme.example/press;s=...`), which stays valid when a server renumbers its namespaces.
 */
export async function nodesOf(connection: ServerConnection, config: OpcUaConfig, values: ValueConverter): Promise<Node[]> {
  const { opcua } = connection
  const byUri = config.nodes.some((node) => NAMESPACE_URI.test(node.node_id))
  const namespaces = byUri ? await namespacesOf(connection) : []
  const nodes: Node[] = []
  for (const [index, { node_id: text, index_range }] of config.nodes.entries()) {
    const uri = NAMESPACE_URI.exec(text)?.[1]
    if (uri !== undefined && !namespaces.includes(uri)) {
      values.refuse(index, `the server has no namespace ${uri}`)
      continue
    }
    try {
      const nodeId = opcua.coerceNodeId(text.trim().replace(NAMESPACE_URI, `ns=${namespaces.indexOf(uri ?? '')};`))
      const indexRange = index_range === undefined ? undefined : new opcua.NumericRange(String(index_range))
      nodes.push({ index, read: new opcua.ReadValueId({ nodeId, attributeId: opcua.AttributeIds.Value, indexRange }) })
    } catch {
      values.refuse(index, 'this is no node id (such as ns=2;s=Press.Temperature or ns=3;i=1001)')
    }
  }
  return nodes
}

export const NAMESPACE_URI = /^\s*nsu=([^;]+);/

export async function namespacesOf(connection: ServerConnection): Promise<string[]> {
  const { opcua, session } = connection
  const nodeId = `i=${opcua.VariableIds.Server_NamespaceArray}`
  const { value } = await connection.paced(() => session.read({ nodeId, attributeId: opcua.AttributeIds.Value }))
  return Array.isArray(value.value) ? value.value : []
}
