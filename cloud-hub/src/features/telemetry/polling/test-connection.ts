import { setTimeout as sleep } from 'node:timers/promises'
import { adapterOf, type CollectorSource, clockConsequence, offsetWords, type ProbeResult } from '@haltless/edge-agent/collectors'
import type { TenantScope } from '../../../db/scope.ts'
import { TooManyRequests } from '../../../support/errors.ts'
import { type AgentView, agentProblem, agentViews } from './agent-view.ts'
import { type CollectingDeps, hostsOf, prepareConnection, probeDeps } from './collecting.ts'
import { MACHINE_DEACTIVATED, openConfig, type SourceDeps, type SourceRow } from './manage-source.ts'
import { knownNamespaces } from './namespaces.ts'
import { collectorSource, firstTags } from './source-config.ts'

export interface TestResult {
  success: boolean
  message: string
}

/** All failures are reported after this time and not earlier: a quicker report would reveal open ports. */
const TEST_MS = 8_000
/** Maximum of values to read and of lines to show. */
const [MAX_TAGS, MAX_LINES] = [20, 40]
/** Maximum of concurrent tests of a tenant, in this process. */
const MAX_CONCURRENT_TESTS = 4
const underWay = new Map<string, number>()

/**
 * Connects to a source once and describes what it found. Closed, filtered and silent ports, other protocols, and unknown or
 * private host names give the same answer after the same time. Otherwise a tenant could use the hub as a port scanner.
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
    return describeAgent(row, row.agentId, views.get(row.agentId), machine.isActive)
  }
  return withinTests(scope.tenantId, async () => {
    await prepareConnection(deps, row.protocol)
    const source = firstTags(collectorSource(row, machine.machineIdentifier, openConfig(deps.box, row)), MAX_TAGS)
    await hostsOf(deps).ready(row.protocol, probeDeps(deps, scope.tenantId))
    const over = AbortSignal.timeout(TEST_MS)
    const end = sleep(TEST_MS, null)
    const probing = { ...probeDeps(deps, scope.tenantId), namespaces: knownNamespaces(row) }
    const found = await Promise.race([hostsOf(deps).probe(source, probing, over), end])
    if (found?.answered) return presentProbe(source, found)
    await end
    return { success: false, message: unreachableMessage(row) }
  })
}

/** Bounds the connections that a tenant makes a hub open for tests. @throws TooManyRequests */
export async function withinTests<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
  const busy = underWay.get(tenantId) ?? 0
  if (busy >= MAX_CONCURRENT_TESTS)
    throw new TooManyRequests('tests_under_way', `At most ${MAX_CONCURRENT_TESTS} connection tests run at once.`, TEST_MS / 1000)
  underWay.set(tenantId, busy + 1)
  try {
    return await work()
  } finally {
    const left = (underWay.get(tenantId) ?? 1) - 1
    if (left > 0) underWay.set(tenantId, left)
    else underWay.delete(tenantId)
  }
}

/** The message for every address where no device speaks the protocol. */
export const unreachableMessage = ({ protocol, host, port }: Pick<SourceRow, 'protocol' | 'host' | 'port'>): string =>
  `Nothing answers as ${adapterOf(protocol).label} at ${host}:${port}. Check host, port and settings, and that a firewall lets this hub in; a hub reaches public addresses only, so for a device inside a plant name an agent_id in config.`

/** A larger difference of clocks is reported, with what becomes of the readings. */
const CLOCK_OFF_MS = 10_000

const presentProbe = (source: CollectorSource, { ok, summary, lines, clockAheadMs }: ProbeResult): TestResult => ({
  success: ok,
  message: [`${summary}.`, ...clockLines(source, clockAheadMs), ...lines.slice(0, MAX_LINES)].join('\n').slice(0, 8_000),
})

function clockLines(source: CollectorSource, aheadMs: number | null): string[] {
  if (aheadMs === null || Math.abs(aheadMs) < CLOCK_OFF_MS) return []
  const difference = `${offsetWords(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  return [`The clock of the device is ${difference} that of the hub${clockConsequence(source, aheadMs)}; set its clock.`]
}

/** Answers with the last report of the agent, because a hub cannot connect to a device inside a plant. */
function describeAgent(row: SourceRow, agentId: string, view: AgentView | undefined, machineIsActive: boolean): TestResult {
  const tell = (success: boolean, words: string) => ({ success, message: `${words[0]?.toUpperCase()}${words.slice(1)}.` })
  const trouble = agentProblem(agentId, view)
  if (!row.isActive) return tell(false, 'the source is not active, so it is not polled')
  if (!machineIsActive) return tell(false, MACHINE_DEACTIVATED)
  if (trouble) return tell(false, trouble)
  if (view?.running !== view?.wanted)
    return tell(false, `agent ${agentId} has not confirmed these settings yet; test again in a minute`)
  if (row.lastError) return tell(false, `agent ${agentId} reports: ${row.lastError}`)
  if (!row.lastPolledAt)
    return tell(false, `agent ${agentId} has not reported an answer of the device yet; test again in a minute`)
  return tell(true, `agent ${agentId} polls this source; the device last answered at ${row.lastPolledAt.toISOString()}`)
}
