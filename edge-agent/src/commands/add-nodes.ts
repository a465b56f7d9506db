import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UNITS, unitSymbol } from '@haltless/protocol'
import { type Document, isDocument, isMap, isSeq, parseDocument, type YAMLMap, YAMLSeq } from 'yaml'
import type { FoundNode, OpcUaSource } from '../collectors/index.ts'
import { withUri } from '../collectors/opcua/namespaces.ts'
import { writeSettings } from '../enrolment/settings-file.ts'
import { readYaml } from '../settings/tree.ts'
import { convertible } from './check-tags.ts'
import { PASSWORD_VARIABLE } from './password-variable.ts'

/** A node as a collector lists it. */
export interface NewNode {
  node_id: string
  metric_name: string
  unit: string
}

/** Metric names from the path: its last part, with more of it where two would be equal. Units as the hub converts them, else `unknown`. */
export function nodesFor(found: readonly FoundNode[], taken: ReadonlySet<string>): NewNode[] {
  const used = new Set(taken)
  return found.map(({ nodeId, path, type, unit }) => {
    let metric = ''
    for (let parts = 1; parts <= path.length; parts++) {
      metric = metricName(path.slice(-parts))
      if (!used.has(metric)) break
    }
    for (let n = 2; used.has(metric); n++) metric = `${metric.replace(/_\d+$/, '')}_${n}`
    used.add(metric)
    return {
      node_id: nodeId,
      metric_name: metric,
      unit: unit === null ? (type === 'Boolean' ? 'bool' : 'unknown') : labelOf(unit),
    }
  })
}

/** The unit as the hub converts it, where it does: `°C` is celsius. */
const labelOf = (unit: string): string =>
  Object.values(UNITS)
    .flat()
    .find((label) => unitSymbol(label) === unit) ??
  convertible(unit) ??
  unit

/** `OilTemperature` below `Press 1` is `press_1_oil_temperature`. */
export const metricName = (parts: readonly string[]): string =>
  parts
    .join('_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 255) || 'value'

/** Where a collector stands: its map, and the document and file that hold it. */
interface Place {
  file: string
  document: Document
  collector: YAMLMap
}

/**
 * Adds nodes to the collector of this name, or a new collector for the server. Comments and all other settings stay, and nodes that the collector
 * has are left out. The file is written as a whole.
 * @param remembered the namespaces that the indexes in the settings mean; null: those that the server has now
 * @returns the file that was written, what it held before, and the nodes that are new
 * @throws Error in words
 */
export function addNodes(
  settings: string,
  source: OpcUaSource,
  name: string,
  machine: string | null,
  found: readonly FoundNode[],
  remembered: readonly string[] | null,
): { file: string; added: NewNode[]; before: string } {
  const document = openDocument(settings)
  const place = findCollector(document, settings, name) ?? newCollector(document, settings, source, name, machine ?? name)
  const list = place.collector.get('nodes')
  const present = isSeq(list) ? (list.toJSON() as { node_id?: string; metric_name?: string }[]) : []
  const known = new Set(present.map(({ node_id = '' }) => withUri(node_id, remembered ?? [])))
  const metrics = new Set(present.flatMap(({ metric_name }) => (metric_name === undefined ? [] : [metric_name])))
  const added = nodesFor(
    found.filter(({ nodeId, indexed }) => !known.has(nodeId) && !known.has(indexed)),
    metrics,
  )
  const nodes = listOf(place.collector, 'nodes')
  const ownMachine = place.collector.get('machine_identifier')
  for (const node of added)
    nodes.add(place.document.createNode({ ...node, ...(machine && machine !== ownMachine && { machine_identifier: machine }) }))
  const before = readFileSync(place.file, 'utf8')
  if (added.length > 0) writeSettings(place.file, place.document.toString({ lineWidth: 0 }))
  return { file: place.file, added, before }
}

/** @throws ConfigError for a file that cannot be read, or is no YAML */
function openDocument(file: string): Document {
  readYaml(file)
  return parseDocument(readFileSync(file, 'utf8'))
}

/** The list of this name, one entry a line; made where it is missing. @throws Error in words for what is no list */
function listOf(parent: Document | YAMLMap, name: string): YAMLSeq {
  if (isDocument(parent) && parent.contents !== null && !isMap(parent.contents))
    throw new Error('Nothing was written: the settings must hold keys and values.')
  const present = parent.get(name)
  if (present != null && !isSeq(present)) throw new Error(`Nothing was written: ${name} in the settings is no list.`)
  if (!present) parent.set(name, new YAMLSeq())
  const list = parent.get(name) as YAMLSeq
  list.flow = false
  return list
}

function findCollector(document: Document, settings: string, name: string): Place | null {
  const collectors = document.get('collectors')
  if (!isSeq(collectors)) return null
  for (const entry of collectors.items) {
    if (!isMap(entry)) continue
    if (entry.get('name') === name) return { file: settings, document, collector: entry }
    const included = entry.get('file')
    if (typeof included !== 'string') continue
    const file = resolve(dirname(settings), included)
    const other = openDocument(file)
    const candidates = isSeq(other.contents) ? other.contents.items : [other.contents]
    const collector = candidates.find((candidate) => isMap(candidate) && candidate.toJSON().name === name)
    if (isMap(collector)) return { file, document: other, collector }
  }
  return null
}

function newCollector(document: Document, settings: string, source: OpcUaSource, name: string, machine: string): Place {
  const { host, port, config } = source
  const { endpoint_path, security_mode, security_policy, username } = config
  const collector = document.createNode({
    name,
    protocol: 'opcua',
    machine_identifier: machine,
    host,
    ...(port !== 4840 && { port }),
    ...(endpoint_path && { endpoint_path }),
    ...(security_mode !== 'None' && { security_mode, security_policy }),
    ...(username !== undefined && { username, password: `\${${PASSWORD_VARIABLE}}` }),
    nodes: [],
  }) as YAMLMap
  listOf(document, 'collectors').add(collector)
  return { file: settings, document, collector }
}

/** Adds whole collectors to the settings; comments and all other settings stay. @returns what the file held before. @throws Error in words */
export function addCollectors(settings: string, collectors: readonly object[]): string {
  const document = openDocument(settings)
  const before = readFileSync(settings, 'utf8')
  const list = listOf(document, 'collectors')
  for (const collector of collectors) list.add(document.createNode(collector))
  writeSettings(settings, document.toString({ lineWidth: 0 }))
  return before
}
