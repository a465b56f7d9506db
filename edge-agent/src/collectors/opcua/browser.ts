import type { SourceBrowseAnswer } from '@haltless/protocol'
import type { DeviceBrowser, OpcUaSource } from '../collector.ts'
import { browseOpcUa } from './browse.ts'

/** Variables of a server, by page, below a node or by words of their names. */
export const nodeBrowser: DeviceBrowser<OpcUaSource> = {
  missing: () => null,

  async browse(source, { under, search, page, page_size }, visitMax, deps, signal): Promise<Partial<SourceBrowseAnswer>> {
    const query = { skip: (page - 1) * page_size, limit: page_size, visitMax, ...(under && { under }), ...(search && { search }) }
    const { nodes, hasMore, isComplete } = await browseOpcUa(source, query, deps, signal)
    const found = nodes.map(({ nodeId, indexed: _, path, ...rest }) => ({ node_id: nodeId, path: path.slice(0, 100), ...rest }))
    return { nodes: found, has_more: hasMore, is_complete: isComplete }
  },
}
