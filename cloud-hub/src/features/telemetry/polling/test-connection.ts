import { setTimeout as sleep } from 'node:timers/promises'
import { adapterOf, type CollectorSource, clockConsequence, offsetText, type ProbeResult } from '@haltless/edge-agent/collectors'
import { type Fault, fault } from '@haltless/protocol'
import type { TenantScope } from '../../../db/scope.ts'
import { TooManyRequests } from '../../../support/errors.ts'
import { faultOfText } from '../../plant/faults/index.ts'
import { type AgentView, agentProblem, agentViews } from './agent-view.ts'
import { type CollectingDeps, hostsOf, prepareConnection, probeDeps } from './collecting.ts'
import { openConfig, type SourceDeps, type SourceRow } from './manage-source.ts'
import { knownNamespaces } from './namespaces.ts'
import { collectorSource, firstTags } from './source-config.ts'

export interface TestResult {
  success: boolean
  message: string
  /** why it failed; null: it did not, or `message` says more */
  fault: Fault | null
  /** when the device last answered the agent that polls it */
  polledAt: Date | null
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
    const unreachable = unreachableFault(row)
    return { success: false, message: unreachable.detail, fault: unreachable, polledAt: null }
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

/** The fault of every address where no device speaks the protocol. */
export const unreachableFault = ({ protocol, host, port }: Pick<SourceRow, 'protocol' | 'host' | 'port'>): Fault =>
  fault('nothing_answers', { protocol: adapterOf(protocol).label, host, port })

/** A larger difference of clocks is reported, with what becomes of the readings. */
const CLOCK_OFF_MS = 10_000

const presentProbe = (source: CollectorSource, { ok, summary, lines, clockAheadMs }: ProbeResult): TestResult => ({
  success: ok,
  message: [`${summary}.`, ...clockLines(source, clockAheadMs), ...lines.slice(0, MAX_LINES)].join('\n').slice(0, 8_000),
  fault: null,
  polledAt: null,
})

function clockLines(source: CollectorSource, aheadMs: number | null): string[] {
  if (aheadMs === null || Math.abs(aheadMs) < CLOCK_OFF_MS) return []
  const difference = `${offsetText(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  return [`The clock of the device is ${difference} that of the hub${clockConsequence(source, aheadMs)}; set its clock.`]
}

/** Answers with the last report of the agent, because a hub cannot connect to a device inside a plant. */
function describeAgent(row: SourceRow, agent: string, view: AgentView | undefined, machineIsActive: boolean): TestResult {
  const trouble = troubleOf(row, agent, view, machineIsActive)
  const polledAt = row.lastPolledAt
  if (trouble) return { success: false, message: sentenceOf(trouble), fault: trouble, polledAt }
  const message = `Agent ${agent} polls this source; the device last answered at ${polledAt?.toISOString()}.`
  return { success: true, message, fault: null, polledAt }
}

function troubleOf(row: SourceRow, agent: string, view: AgentView | undefined, machineIsActive: boolean): Fault | null {
  if (!row.isActive) return fault('source_inactive')
  if (!machineIsActive) return fault('machine_inactive')
  const problem = agentProblem(agent, view)
  if (problem) return problem
  if (view?.running !== view?.wanted) return fault('agent_unconfirmed', { agent })
  if (row.lastError) return fault('agent_reports', { agent, reason: faultOfText(row.lastFault, row.lastError) ?? row.lastError })
  return row.lastPolledAt ? null : fault('agent_without_answer', { agent })
}

/** The text of a fault as a sentence of its own. */
export const sentenceOf = ({ detail }: Fault): string => `${detail[0]?.toUpperCase()}${detail.slice(1)}.`
