import { type Fault, fault } from '@haltless/protocol'
import type { BrowseResult, DataValue, NodeId, ReferenceDescription } from 'node-opcua'
import { FaultError } from '../../support/fault-error.ts'
import type { OpcUaSource, ProbeDeps } from '../collector.ts'
import { shownNumber } from '../messages.ts'
import { acquirePacer } from '../request-pacer.ts'
import { ServerConnection } from './connection.ts'
import { connectionFault, OperatorActionRequired, statusFault } from './connection-errors.ts'
import { NoNode, withIndex, withUri } from './namespaces.ts'
import { nodeIdOf } from './node-id.ts'
import { numberOf, whyNoNumber } from './values.ts'

/** Which variables of a server to list. */
export interface BrowseQuery {
  /** node id to begin at; default: the folder Objects, without what every server has */
  under?: string
  /** words that all occur in the path or node id, whatever their case */
  search?: string
  /** so many matches are passed over, for the next page */
  skip: number
  limit: number
  /** nodes that are looked at before the search gives up */
  visitMax: number
  /** called now and then with how many were looked at */
  onProgress?: (visited: number) => void
}

/** A variable of the server. */
export interface FoundNode {
  /** for the settings, with the URI of its namespace: `nsu=urn:acme:press;s=Temperature` */
  nodeId: string
  /** as the server numbers its namespaces now: `ns=2;s=Temperature` */
  indexed: string
  /** browse names below the start */
  path: string[]
  /** such as `Double`, `String`, `Int16[]`; null when the server gives no value */
  type: string | null
  /** its value in words; null without one */
  value: string | null
  /** EngineeringUnits of the server, such as `°C`; null without */
  unit: string | null
  /** why it cannot become readings, in plain words; null when it can */
  fault: string | null
  /** the same as a fault */
  reason: Fault | null
}

export interface BrowsePage {
  nodes: FoundNode[]
  /** there may be more matches */
  hasMore: boolean
  visited: number
  /** false: the search gave up at `visitMax` */
  isComplete: boolean
}

/** Nodes per request, where the server names no limit, or a higher one. */
const NODES_PER_BROWSE = 100
const REQUEST_TIMEOUT_MS = 15_000
const VALUE_LENGTH_MAX = 60
/** Source: OPC 10000-6, annex A: NodeIds of namespace 0 */
const OBJECTS = 'ns=0;i=85'
const HAS_PROPERTY = 46
const HIERARCHICAL = 'i=33'
/** Source: OPC 10000-4, 7.5: NodeClass */
const OBJECT_OR_VARIABLE = 1 | 2
const VARIABLE = 2
const ALL_FIELDS = 63

interface Entry {
  nodeId: string
  path: string[]
}

/**
 * Lists variables of a server in the order of its tree, with their present values. It opens a session of its own; collectors never browse.
 * @throws Error in plain words
 */
export async function browseOpcUa(
  source: OpcUaSource,
  query: BrowseQuery,
  deps: ProbeDeps,
  signal: AbortSignal,
): Promise<BrowsePage> {
  const { pacer, release } = acquirePacer(source, deps)
  let connection: ServerConnection | null = null
  try {
    connection = await ServerConnection.open(source, deps, signal, pacer)
    return await new Walk(connection, query, signal).page()
  } catch (error) {
    const { host, port } = source
    throw new FaultError(fault('of_server', { host, port, reason: connectionFault(error).fault }))
  } finally {
    await connection?.close()
    release()
  }
}

class Walk {
  readonly #connection: ServerConnection
  readonly #query: BrowseQuery
  readonly #signal: AbortSignal
  readonly #words: string[]
  readonly #visited = new Set<string>()
  #batch = NODES_PER_BROWSE
  #namespaces: readonly string[] = []

  constructor(connection: ServerConnection, query: BrowseQuery, signal: AbortSignal) {
    this.#connection = connection
    this.#query = query
    this.#signal = signal
    this.#words = (query.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  }

  async page(): Promise<BrowsePage> {
    const { skip, limit, under, visitMax } = this.#query
    this.#batch = Math.min(NODES_PER_BROWSE, await this.#connection.operationLimit('MaxNodesPerBrowse'))
    this.#namespaces = (await this.#connection.namespaces()) ?? []
    const start = { nodeId: this.#startOf(under), path: [] }
    const found: Entry[] = []
    let matches = 0
    for await (const entry of this.#variablesBelow([start])) {
      if (!this.#matches(entry) || matches++ < skip) continue
      if (found.length === limit) return this.#present(found, true)
      found.push(entry)
    }
    return this.#present(found, this.#visited.size >= visitMax)
  }

  #startOf(under: string | undefined): string {
    if (under === undefined) return OBJECTS
    const indexed = withIndex(under, this.#namespaces)
    if (indexed instanceof NoNode) throw new OperatorActionRequired(indexed.fault)
    const nodeId = nodeIdOf(this.#connection.opcua, indexed.trim())
    if (nodeId) return nodeId.toString()
    throw new OperatorActionRequired(fault('opcua_invalid_start', { node: under }))
  }

  /** The node of an entry. The library would read its text otherwise. */
  #node(nodeId: string): NodeId {
    const node = nodeIdOf(this.#connection.opcua, nodeId)
    if (!node) throw new Error(`${nodeId} is no node id`)
    return node
  }

  #matches({ nodeId, path }: Entry): boolean {
    const text = `${path.join(' ')} ${nodeId}`.toLowerCase()
    // the words of a URI are no words of a node
    const named = () => withUri(nodeId, this.#namespaces).toLowerCase()
    return this.#words.every((word) => (word.startsWith('nsu=') ? named() : text).includes(word))
  }

  /** The variables below these nodes, each once, children before what lies deeper. Siblings share requests. */
  async *#variablesBelow(parents: readonly Entry[]): AsyncGenerator<Entry> {
    for (let at = 0; at < parents.length; at += this.#batch) {
      const batch = parents.slice(at, at + this.#batch)
      const references = await this.#children(batch)
      for (const [i, parent] of batch.entries()) {
        const children: Entry[] = []
        for (const reference of references[i] ?? []) {
          const entry = this.#enter(parent, reference)
          if (!entry) continue
          children.push(entry)
          if (Number(reference.nodeClass) === VARIABLE) yield entry
          if (this.#visited.size >= this.#query.visitMax) return
        }
        yield* this.#variablesBelow(children)
        if (this.#visited.size >= this.#query.visitMax) return
      }
      this.#query.onProgress?.(this.#visited.size)
    }
  }

  /** @returns null for a node that was seen, that cannot be read, or that every server has below Objects */
  #enter(parent: Entry, { nodeId, browseName, displayName }: ReferenceDescription): Entry | null {
    const id = nodeId.toString()
    // a node of another server, or one without a name
    if (nodeId.serverIndex > 0 || !nodeIdOf(this.#connection.opcua, id)) return null
    const isOfStandard = nodeId.namespace === 0 && parent.nodeId === OBJECTS && this.#query.under === undefined
    if (isOfStandard || this.#visited.has(id)) return null
    this.#visited.add(id)
    return { nodeId: id, path: [...parent.path, browseName.name || displayName.text || id] }
  }

  async #children(parents: readonly Entry[]): Promise<ReferenceDescription[][]> {
    const results = await this.#browse(parents.map(({ nodeId }) => nodeId))
    return results.map((references) => references.filter(({ referenceTypeId }) => !isProperty(referenceTypeId)))
  }

  /** All references forward of each node, continuation points included. */
  async #browse(nodeIds: readonly string[]): Promise<ReferenceDescription[][]> {
    const { session } = this.#connection
    const asked = nodeIds.map((nodeId) => ({
      nodeId: this.#node(nodeId),
      referenceTypeId: HIERARCHICAL,
      includeSubtypes: true,
      browseDirection: 0,
      nodeClassMask: OBJECT_OR_VARIABLE,
      resultMask: ALL_FIELDS,
    }))
    const first = await this.#paced(() => session.browse(asked))
    const [only] = first
    if (nodeIds.length === 1 && only && !only.statusCode.isGood() && this.#visited.size === 0)
      throw new OperatorActionRequired(fault('of_item', { item: String(nodeIds[0]), reason: statusFault(only.statusCode) }))
    const all: ReferenceDescription[][] = []
    for (const result of first) all.push(await this.#rest(result))
    // A server has few continuation points a session, and gives those nothing for which none was left. Source: OPC 10000-4, 5.9.2
    for (const [i, { statusCode }] of first.entries())
      if (statusCode.name === 'BadNoContinuationPoints' && nodeIds.length > 1)
        all[i] = (await this.#browse([nodeIds[i] as string]))[0] ?? []
    return all
  }

  async #rest({ references, continuationPoint }: BrowseResult): Promise<ReferenceDescription[]> {
    const all = [...(references ?? [])]
    let point = continuationPoint
    while (point && point.length > 0) {
      const more = point
      const next = await this.#paced(() => this.#connection.session.browseNext(more, false))
      all.push(...(next.references ?? []))
      point = next.continuationPoint
    }
    return all
  }

  #paced<T>(request: () => Promise<T>): Promise<T> {
    if (this.#signal.aborted) throw new FaultError(fault('stopped'))
    return this.#connection.paced(request)
  }

  async #present(entries: readonly Entry[], hasMore: boolean): Promise<BrowsePage> {
    const values = await this.#read(entries.map(({ nodeId }) => nodeId))
    const units = await this.#units(entries)
    return {
      nodes: entries.map(({ nodeId, path }, i) => ({
        nodeId: withUri(nodeId, this.#namespaces),
        indexed: nodeId.replace(/^ns=0;/, ''),
        path,
        unit: units[i] ?? null,
        ...this.#describe(values[i]),
      })),
      hasMore,
      visited: this.#visited.size,
      isComplete: this.#visited.size < this.#query.visitMax,
    }
  }

  async #read(nodeIds: readonly string[]): Promise<DataValue[]> {
    const { opcua, nodesPerRead } = this.#connection
    const values: DataValue[] = []
    for (let at = 0; at < nodeIds.length; at += nodesPerRead) {
      if (this.#signal.aborted) throw new FaultError(fault('stopped'))
      const asked = nodeIds
        .slice(at, at + nodesPerRead)
        .map((id) => new opcua.ReadValueId({ nodeId: this.#node(id), attributeId: opcua.AttributeIds.Value }))
      values.push(...(await this.#connection.read(asked, REQUEST_TIMEOUT_MS)))
    }
    return values
  }

  /** The property EngineeringUnits of each variable that has one. Source: OPC 10000-8, 5.6.3 (EUInformation) */
  async #units(entries: readonly Entry[]): Promise<(string | undefined)[]> {
    const properties: (string | undefined)[] = []
    for (let at = 0; at < entries.length; at += this.#batch) {
      const results = await this.#browse(entries.slice(at, at + this.#batch).map(({ nodeId }) => nodeId))
      for (const references of results)
        properties.push(references.find(({ browseName }) => browseName.name === 'EngineeringUnits')?.nodeId.toString())
    }
    const values = await this.#read(properties.filter((id) => id !== undefined))
    let next = 0
    return properties.map((id) => {
      if (id === undefined) return undefined
      const unit = values[next++]?.value?.value as { displayName?: { text?: string | null } } | null | undefined
      return unit?.displayName?.text || undefined
    })
  }

  #describe(found: DataValue | undefined): Pick<FoundNode, 'type' | 'value' | 'fault' | 'reason'> {
    const none = (reason: Fault) => ({ type: null, value: null, fault: reason.detail, reason })
    if (!found) return none(fault('opcua_no_value_sent'))
    if (found.statusCode.value >>> 30 !== 0) return none(statusFault(found.statusCode))
    const { value: variant } = found
    const name = this.#connection.opcua.DataType[variant.dataType]
    const number = numberOf(variant)
    const isNumber = Number.isFinite(number)
    const reason = isNumber ? null : whyNoNumber(variant)
    return {
      type: Number(variant.arrayType) === 0 ? name : `${name}[]`,
      value: isNumber ? shownNumber(number) : shortText(variant.value),
      fault: reason?.detail ?? null,
      reason,
    }
  }
}

const isProperty = ({ namespace, value }: { namespace: number; value: unknown }) => namespace === 0 && value === HAS_PROPERTY

function shortText(value: unknown): string | null {
  const inner = typeof value === 'object' && !(value instanceof Date) ? (value as { text?: unknown } | null)?.text : value
  if (inner === null || inner === undefined) return null
  const text = (inner instanceof Date ? inner.toISOString() : String(inner)).replace(/\s+/g, ' ')
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX - 3)}...` : text
}
