import { setTimeout as sleep } from 'node:timers/promises'
import { adapterOf, type ProbeResult, probe } from '@haltless/edge-agent/collectors'
import type { TenantScope } from '../../../db/scope.ts'
import { TooManyRequests } from '../../../support/errors.ts'
import { type AgentView, agentViews, troubleOfAgent } from './agent-view.ts'
import { type CollectingDeps, prepare, probeDeps } from './collecting.ts'
import { IDLE, openConfig, type SourceDeps, type SourceRow } from './manage-source.ts'
import { collectorSource, firstTags } from './source-config.ts'

export interface TestResult {
  success: boolean
  message: string
}

/** Whatever does not answer as a device is told of after so long, never earlier: how fast nothing came says what is there. */
const TEST_MS = 8_000
/** First values that are shown, and lines in all. */
const [MOST_TAGS, MOST_LINES] = [20, 40]
/** Tests under way of a tenant, in this process. */
const MOST_AT_ONCE = 4
const underWay = new Map<string, number>()

/**
 * Connects to a source once and says what it found, in plain words. A port that is closed, filtered, silent, or speaks something else, and a
 * name that leads nowhere or inside, are answered alike and after the same time: this is no port scanner.
 * @throws TooManyRequests while the tenant has too many tests under way
 */
export async function testConnection(
  deps: SourceDeps & CollectingDeps,
  scope: TenantScope,
  row: SourceRow,
  machine: { machineIdentifier: string; isActive: boolean },
): Promise<TestResult> {
  if (row.agentId) {
    const views = await agentViews(scope, deps.config.heartbeatSeconds)
    return tellOfAgent(row, row.agentId, views.get(row.agentId), machine.isActive)
  }
  const busy = underWay.get(scope.tenantId) ?? 0
  if (busy >= MOST_AT_ONCE)
    throw new TooManyRequests('tests_under_way', `At most ${MOST_AT_ONCE} connection tests run at once.`, TEST_MS / 1000)
  underWay.set(scope.tenantId, busy + 1)
  try {
    await prepare(deps, row.protocol)
    const source = firstTags(collectorSource(row, machine.machineIdentifier, openConfig(deps.box, row)), MOST_TAGS)
    const over = AbortSignal.timeout(TEST_MS)
    const end = sleep(TEST_MS, null)
    const found = await Promise.race([probe(source, probeDeps(deps, scope.tenantId), over), end])
    if (found?.answered) return presentProbe(found)
    await end
    return { success: false, message: nothingThere(row) }
  } finally {
    const left = (underWay.get(scope.tenantId) ?? 1) - 1
    if (left > 0) underWay.set(scope.tenantId, left)
    else underWay.delete(scope.tenantId)
  }
}

/** The one answer to all that does not speak the protocol. */
export const nothingThere = ({ protocol, host, port }: Pick<SourceRow, 'protocol' | 'host' | 'port'>): string =>
  `Nothing answers as ${adapterOf(protocol).label} at ${host}:${port}. Check host, port and settings, and that a firewall lets this hub in; a hub reaches public addresses only, so for a device inside a plant name an agent_id in config.`

const presentProbe = ({ ok, summary, lines }: ProbeResult): TestResult => ({
  success: ok,
  message: [`${summary}.`, ...lines.slice(0, MOST_LINES)].join('\n').slice(0, 8_000),
})

/** A hub reaches no device inside a plant: what the agent last said of it is the answer. */
function tellOfAgent(row: SourceRow, agentId: string, view: AgentView | undefined, machineIsActive: boolean): TestResult {
  const tell = (success: boolean, words: string) => ({ success, message: `${words[0]?.toUpperCase()}${words.slice(1)}.` })
  const trouble = troubleOfAgent(agentId, view)
  if (!row.isActive) return tell(false, 'the source is not active, so nobody polls it')
  if (!machineIsActive) return tell(false, IDLE)
  if (trouble) return tell(false, trouble)
  if (view?.running !== view?.wanted)
    return tell(false, `agent ${agentId} has yet to say that it took these settings; ask again in a minute`)
  if (row.lastError) return tell(false, `agent ${agentId} reports: ${row.lastError}`)
  if (!row.lastPolledAt) return tell(false, `agent ${agentId} has yet to say that the device answered; ask again in a minute`)
  return tell(true, `agent ${agentId} polls this source; the device last answered at ${row.lastPolledAt.toISOString()}`)
}
