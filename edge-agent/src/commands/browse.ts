import type { BrowsePage, FoundNode } from '../collectors/index.ts'
import { alignColumns, formatCount } from './output.ts'

/** Nobody reads so many names. */
const MANY_NODES = 10_000

/** The page in words: a table, then how to go on. @param next the command for the next page */
export function formatBrowse({ nodes, hasMore, visited, isComplete }: BrowsePage, skip: number, next: string): string {
  if (nodes.length === 0)
    return skip > 0
      ? 'There are no more variables.'
      : `No variable was found among ${formatCount(visited, 'node')}${isComplete ? '' : ': the search gave up there; begin deeper with --under'}.`
  const rows = nodes.map((node) => [node.path.join(' / '), node.nodeId, node.type ?? '-', valueText(node)])
  const parts = [alignColumns([['path', 'node', 'type', 'value'], ...rows])]
  if (!isComplete) parts.push(`The search gave up after ${formatCount(visited, 'node')}: begin deeper with --under.`)
  else if (hasMore) {
    const isMany = skip + nodes.length >= MANY_NODES || visited > MANY_NODES
    const advice = isMany ? 'This server has more than 10,000 nodes: narrow them with --under or --search.\n' : ''
    parts.push(`${advice}There are more: ${next}`)
  }
  return parts.join('\n\n')
}

function valueText({ value, unit, fault }: FoundNode): string {
  if (fault !== null) return value === null ? fault : `${value} (${fault})`
  return unit === null ? `${value}` : `${value} ${unit}`
}
