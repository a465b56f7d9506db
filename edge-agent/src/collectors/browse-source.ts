import { type Fault, fault, type SourceBrowse, type SourceBrowseAnswer } from '@haltless/protocol'
import { errorFault } from '../support/error-message.ts'
import type { CollectorSource, ProbeDeps } from './collector.ts'
import { adapterOf } from './registry.ts'

const NOTHING: SourceBrowseAnswer = { error: null, nodes: [], has_more: false, is_complete: true, registers: null }
/** The answer where nothing could be read. */
export const nothingFound = (error_fault: Fault): SourceBrowseAnswer => ({ ...NOTHING, error: error_fault.detail, error_fault })

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
  if (!browser) return nothingFound(fault('nothing_to_browse'))
  const missing = browser.missing(query)
  if (missing) return { ...NOTHING, error: `${missing.field} ${missing.message}` }
  try {
    return { ...NOTHING, ...(await browser.browse(source, query, visitMax, deps, signal)) }
  } catch (error) {
    return nothingFound(signal.aborted ? fault('browse_timeout') : errorFault(error))
  }
}
