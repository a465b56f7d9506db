import type { SourceBrowse, SourceBrowseAnswer } from '@haltless/protocol'
import { errorMessage } from '../support/error-message.ts'
import type { CollectorSource, ProbeDeps } from './collector.ts'
import { adapterOf } from './registry.ts'

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
  const { browser } = adapterOf(source.protocol)
  if (!browser) return { ...NOTHING, error: 'this protocol has nothing to browse' }
  const missing = browser.missing(query)
  if (missing) return { ...NOTHING, error: `${missing.field} ${missing.message}` }
  try {
    return { ...NOTHING, ...(await browser.browse(source, query, visitMax, deps, signal)) }
  } catch (error) {
    const words = signal.aborted ? 'the device took too long to answer' : errorMessage(error)
    return { ...NOTHING, error: words.slice(0, 1_000) }
  }
}
