import { type Fault, fault } from '@haltless/protocol'
import type { NamespaceStore } from '../collector.ts'

/** A node id that names its namespace by URI. Source: OPC 10000-6, 5.3.1.11 */
const BY_URI = /^\s*nsu=([^;]+);/
const BY_INDEX = /^\s*ns=(\d{1,5});/
/** Characters of all namespaces that are remembered of a server: those of a server with more are not. */
const NAMESPACE_CHARS_MAX = 65_536
/** Namespaces and characters of each that a message shows. */
const SHOWN_MAX = 5
const SHOWN_CHARS = 100
/** A node id of the settings, and the raw tag of its readings, may have so many characters. */
const NODE_ID_CHARS_MAX = 500

/** A node id that cannot be used, and why. */
export class NoNode {
  readonly fault: Fault

  constructor(found: Fault) {
    this.fault = found
  }

  /** in plain words */
  get reason(): string {
    return this.fault.detail
  }
}

const NOT_SHOWN = new NoNode(fault('opcua_namespaces_not_shown'))

/** Whether a node id needs the namespaces of the server. Those of index 0 are the same in all servers. */
export const needsNamespaces = (nodeId: string): boolean => BY_URI.test(nodeId) || hasIndex(nodeId)

const hasIndex = (nodeId: string): boolean => Number(BY_INDEX.exec(nodeId)?.[1] ?? 0) > 0

/**
 * The same node id with the URI of its namespace: that of index 0 is left out. One that would become too long stays, and one whose URI is there
 * twice.
 */
export function withUri(nodeId: string, namespaces: readonly string[]): string {
  const index = Number(BY_INDEX.exec(nodeId)?.[1] ?? 0)
  if (index === 0) return nodeId.replace(BY_INDEX, '')
  const uri = namespaces[index]
  if (!uri || isTwice(uri, namespaces)) return nodeId
  const named = nodeId.replace(BY_INDEX, () => `nsu=${uri.replaceAll('%', '%25').replaceAll(';', '%3B')};`)
  return named.length > NODE_ID_CHARS_MAX ? nodeId : named
}

/** The same node id with the index that the URI has among these namespaces. */
export function withIndex(nodeId: string, namespaces: readonly string[]): string | NoNode {
  const escaped = BY_URI.exec(nodeId)?.[1]
  if (escaped === undefined) return nodeId
  const uri = escaped.replace(/%3b/gi, ';').replaceAll('%25', '%')
  const index = namespaces.indexOf(uri)
  if (index < 0) return new NoNode(fault('opcua_namespace_unknown', { uri: short(uri), names: listed(namespaces) }))
  if (isTwice(uri, namespaces)) return new NoNode(fault('opcua_uri_ambiguous', { uri: short(uri) }))
  return nodeId.replace(BY_URI, () => `ns=${index};`)
}

/** How the namespaces of a server relate to those that are remembered. */
export interface NamespaceComparison {
  /** what is remembered from now on: the first array, or the remembered one with what the server has added */
  remembered: readonly string[]
  /** the server has numbered its namespaces otherwise, or lost some */
  isOther: boolean
}

export function compareNamespaces(remembered: readonly string[] | null, found: readonly string[]): NamespaceComparison {
  const isOther = remembered?.some((uri, i) => found[i] !== uri) ?? false
  return { remembered: isOther ? (remembered as readonly string[]) : found, isOther }
}

/**
 * The namespaces that the `ns=2` of one collector means: those of its first session. After a restart a server may number them otherwise, and the
 * same node id would then be another node.
 */
export class Namespaces {
  readonly #memory: NamespaceStore | undefined
  #remembered: readonly string[] | null
  #note: Fault | null = null

  /** @param memory what outlives this process; absent: nothing does */
  constructor(memory: NamespaceStore | undefined) {
    this.#memory = memory
    this.#remembered = memory?.remembered() ?? null
  }

  /** Which indexes have another namespace in this session than they mean, for people; null when none has. */
  get note(): Fault | null {
    return this.#note
  }

  /**
   * A session begins: remembers the namespaces of the server when they are the first, before a value is stored by them.
   * @param found of the server; null: it does not show them
   * @returns the node id for this session, of each that is configured
   */
  async begin(
    nodeIds: readonly string[],
    found: readonly string[] | null,
    isRemembered: boolean,
  ): Promise<(nodeId: string) => string | NoNode> {
    const before = this.#remembered
    if (found && isRemembered && nodeIds.some(hasIndex) && isMemorable(found)) {
      this.#remembered = compareNamespaces(before, found).remembered
      await this.#memory?.found(found)
    }
    const isOther = before !== null && (found === null || compareNamespaces(before, found).isOther)
    const nodeIdNow = (nodeId: string) => {
      if (!hasIndex(nodeId)) return found || !BY_URI.test(nodeId) ? withIndex(nodeId, found ?? []) : NOT_SHOWN
      return isOther ? moved(nodeId, before, found) : nodeId
    }
    this.#note = noteOn(nodeIds.filter(hasIndex), nodeIdNow)
    return nodeIdNow
  }
}

function noteOn(nodeIds: readonly string[], nodeIdNow: (nodeId: string) => string | NoNode): Fault | null {
  const moves = new Set<string>()
  for (const nodeId of nodeIds) {
    const now = nodeIdNow(nodeId)
    const [before, after] = [nodeId, now instanceof NoNode ? nodeId : now].map((id) => Number(BY_INDEX.exec(id)?.[1]))
    if (before !== after) moves.add(`ns=${before} is ns=${after} now`)
  }
  if (moves.size === 0) return null
  const more = moves.size > SHOWN_MAX ? ` and ${moves.size - SHOWN_MAX} more` : ''
  return fault('opcua_namespaces_renumbered', { indexes: `${[...moves].slice(0, SHOWN_MAX).join(', ')}${more}` })
}

const isTwice = (uri: string, namespaces: readonly string[]): boolean => namespaces.indexOf(uri) !== namespaces.lastIndexOf(uri)

const isMemorable = (uris: readonly string[]): boolean => uris.join(' ').length <= NAMESPACE_CHARS_MAX

/** The node id with the index that its namespace has now. */
function moved(nodeId: string, before: readonly string[], found: readonly string[] | null): string | NoNode {
  const index = Number(BY_INDEX.exec(nodeId)?.[1])
  const uri = before[index]
  if (found === null) return new NoNode(fault('opcua_namespaces_hidden'))
  if (uri === undefined) return new NoNode(fault('opcua_namespace_new', { index }))
  if (uri === '') return new NoNode(fault('opcua_namespace_unnamed', { index }))
  if (isTwice(uri, before) || isTwice(uri, found)) return new NoNode(fault('opcua_index_ambiguous', { uri: short(uri), index }))
  const now = found.indexOf(uri)
  if (now >= 0) return nodeId.replace(BY_INDEX, () => `ns=${now};`)
  return new NoNode(fault('opcua_namespace_gone', { index, uri: short(uri), names: listed(found) }))
}

const short = (uri: string): string => (uri.length > SHOWN_CHARS ? `${uri.slice(0, SHOWN_CHARS)}...` : uri)

function listed(namespaces: readonly string[]): string {
  // the one of the standard says nothing
  const own = namespaces.slice(1)
  if (own.length === 0) return 'none of its own'
  const more = own.length > SHOWN_MAX ? ` and ${own.length - SHOWN_MAX} more` : ''
  return own.slice(0, SHOWN_MAX).map(short).join(', ') + more
}
