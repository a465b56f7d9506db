import type { OpcUaConfig } from '@haltless/protocol'
import type { ReadValueId } from 'node-opcua'
import type { Link } from './link.ts'
import type { Values } from './values.ts'

/** A configured node that has a node id which can be asked for. */
export interface Node {
  /** place of its entry in the configuration */
  readonly index: number
  readonly read: ReadValueId
}

/** The nodes that can be asked for; the others are noted as bad. */
export function nodesOf({ opcua }: Link, config: OpcUaConfig, values: Values): Node[] {
  const nodes: Node[] = []
  for (const [index, { node_id: text }] of config.nodes.entries()) {
    try {
      const nodeId = opcua.coerceNodeId(text.trim())
      nodes.push({ index, read: new opcua.ReadValueId({ nodeId, attributeId: opcua.AttributeIds.Value }) })
    } catch {
      values.refuse(index, 'this is no node id (such as ns=2;s=Press.Temperature or ns=3;i=1001)')
    }
  }
  return nodes
}
