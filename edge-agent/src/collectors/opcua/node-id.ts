import type { NodeId } from 'node-opcua'
import type { Library } from './client.ts'

/** Source: OPC 10000-6, 5.1.12 */
const NODE_ID = /^(?:ns=(\d{1,5});)?([isgb])=([\s\S]+)$/
const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Of either alphabet of RFC 4648. */
const BASE64 = /^[a-z0-9+/_-]+={0,2}$/i
const INDEX_MAX = 65_535
const NUMERIC_MAX = 4_294_967_295

/**
 * Parses a node id without a URI, such as `ns=2;s=Temperature`. The library searches for `ns=` anywhere in the text, so that the name
 * `[Plc]ns=5;i=7` of a node would be the node 7 of another namespace.
 * @returns null when it is no node id
 */
export function nodeIdOf({ NodeId, NodeIdType }: Pick<Library, 'NodeId' | 'NodeIdType'>, text: string): NodeId | null {
  const [, index = '0', type, identifier = ''] = NODE_ID.exec(text) ?? []
  const namespace = Number(index)
  if (namespace > INDEX_MAX) return null
  switch (type) {
    case 'i': {
      const isValid = /^\d{1,10}$/.test(identifier) && Number(identifier) <= NUMERIC_MAX
      return isValid ? new NodeId(NodeIdType.NUMERIC, Number(identifier), namespace) : null
    }
    case 's':
      return new NodeId(NodeIdType.STRING, identifier, namespace)
    case 'g':
      return GUID.test(identifier) ? new NodeId(NodeIdType.GUID, identifier, namespace) : null
    case 'b':
      return BASE64.test(identifier) ? new NodeId(NodeIdType.BYTESTRING, Buffer.from(identifier, 'base64'), namespace) : null
    default:
      return null
  }
}
