import type { SourceBrowse, SourceBrowseAnswer } from '@haltless/protocol'
import { errorMessage } from '../support/error-message.ts'
import type { CollectorSource, ProbeDeps } from './collector.ts'
import { interpret, textIn } from './modbus/interpret.ts'
import { readOnce } from './modbus/read-once.ts'
import { browseOpcUa } from './opcua/browse.ts'

const NOTHING: SourceBrowseAnswer = { error: null, nodes: [], has_more: false, is_complete: true, registers: null }

/**
 * Looks at the device of a source, because a person asked: variables of an OPC UA server, or what a Modbus register holds. Never rejects.
 * @param visitMax nodes that are looked at before the search gives up
 */
export async function browseSource(
  source: CollectorSource,
  query: SourceBrowse,
  visitMax: number,
  deps: ProbeDeps,
  signal: AbortSignal,
): Promise<SourceBrowseAnswer> {
  try {
    if (source.protocol === 'opcua') return await browseNodes(source, query, visitMax, deps, signal)
    if (source.protocol === 'modbus') return await readRegisters(source, query, deps, signal)
    return { ...NOTHING, error: 'this protocol has nothing to browse' }
  } catch (error) {
    const words = signal.aborted ? 'the device took too long to answer' : errorMessage(error)
    return { ...NOTHING, error: words.slice(0, 1_000) }
  }
}

async function browseNodes(
  source: Extract<CollectorSource, { protocol: 'opcua' }>,
  { under, search, page, page_size }: SourceBrowse,
  visitMax: number,
  deps: ProbeDeps,
  signal: AbortSignal,
): Promise<SourceBrowseAnswer> {
  const query = { skip: (page - 1) * page_size, limit: page_size, visitMax, ...(under && { under }), ...(search && { search }) }
  const { nodes, hasMore, isComplete } = await browseOpcUa(source, query, deps, signal)
  const found = nodes.map(({ nodeId, path, ...rest }) => ({ node_id: nodeId, path: path.slice(0, 100), ...rest }))
  return { ...NOTHING, nodes: found, has_more: hasMore, is_complete: isComplete }
}

async function readRegisters(
  source: Extract<CollectorSource, { protocol: 'modbus' }>,
  { table, address }: SourceBrowse,
  deps: ProbeDeps,
  signal: AbortSignal,
): Promise<SourceBrowseAnswer> {
  if (address === undefined) return { ...NOTHING, error: 'which register? name its address' }
  const isBit = table === 'coil' || table === 'discrete'
  const { data, fault } = await readOnce(
    source,
    { table, address, quantity: isBit ? 1 : Math.min(4, 65_536 - address) },
    deps,
    signal,
  )
  if (data === undefined) return { ...NOTHING, error: fault.slice(0, 1_000) }
  if (isBit) return { ...NOTHING, registers: { address, words: [(data[0] as number) & 1], values: [], text: null } }
  const words = Array.from({ length: data.length / 2 }, (_, i) => data.readUInt16BE(i * 2))
  const values = interpret(data).flatMap(({ dataType, values }) =>
    values.map(({ byteOrder, value, isLikely }) => ({
      data_type: dataType,
      byte_order: byteOrder,
      value: Number.isFinite(value) ? value : null,
      is_likely: isLikely,
    })),
  )
  return { ...NOTHING, registers: { address, words, values, text: textIn(data) } }
}
