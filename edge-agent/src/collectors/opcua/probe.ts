import { toReadings } from '@haltless/protocol'
import type { EndpointDescription } from 'node-opcua'
import type { OpcUaSource, ProbeDeps, ProbeResult } from '../collector.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import { badTagSummary, valueLines } from '../messages.ts'
import { acquirePacer } from '../request-pacer.ts'
import { StatusBoard } from '../status-board.ts'
import { discover } from './client.ts'
import { tagsOf } from './collector.ts'
import { ServerConnection } from './connection.ts'
import { connectionFault } from './connection-errors.ts'
import { Namespaces } from './namespaces.ts'
import { nodesOf } from './nodes.ts'
import { NodeReader } from './poll.ts'
import { ServerClock } from './server-clock.ts'
import { ValueConverter } from './values.ts'

/** Nothing waits for a probe, so it is patient. */
const PROBE_TIMEOUT_MS = 10_000

/** Asks what the server offers, logs in as configured, reads every node once, disconnects. */
export async function probeOpcUa(source: OpcUaSource, deps: ProbeDeps, signal: AbortSignal): Promise<ProbeResult> {
  const where = `OPC UA server at ${source.host}:${source.port}`
  const tags = tagsOf(source)
  const board = new StatusBoard(tags, deps)
  const { pacer, release } = acquirePacer(source, deps)
  const lines: string[] = []
  const gathering = new ColumnsBuilder(tags)
  let connection: ServerConnection | null = null
  let answered = false
  let clockAheadMs: number | null = null
  try {
    lines.push(...offers(await discover(source, deps, signal)))
    answered = true
    connection = await ServerConnection.open(source, deps, signal, pacer)
    const serverClock = new ServerClock(source, deps, PROBE_TIMEOUT_MS)
    await serverClock.read(connection)
    clockAheadMs = serverClock.aheadMs
    const values = new ValueConverter(source.config, tags, board, deps.clock, serverClock)
    // what a person tries is not yet what the node ids mean
    const namespaces = new Namespaces(deps.namespaces)
    const { nodes } = await nodesOf(connection, source.config, values, namespaces, false)
    if (namespaces.note) lines.push(namespaces.note.detail)
    await new NodeReader(connection, nodes, values, deps.clock, PROBE_TIMEOUT_MS).readAll(deps.clock.now(), gathering)
    const readings = toReadings(gathering.columns())
    const badTags = board.badTags()
    const problem = badTagSummary(badTags.length, tags.length)
    const summary = `${where} answers${problem && `, but ${problem}`}`
    return {
      ok: problem === '',
      answered,
      summary,
      lines: [...lines, ...valueLines(tags, readings, badTags)],
      limits: await limitsOf(connection),
      clockAheadMs,
      readings,
      badTags,
    }
  } catch (error) {
    const summary = `${where}: ${connectionFault(error).message}`
    return { ok: false, answered, summary, lines, clockAheadMs, readings: [], badTags: board.badTags() }
  } finally {
    await connection?.close()
    release()
  }
}

const MODES = ['Invalid', 'None', 'Sign', 'SignAndEncrypt']
const LOGINS = ['anonymous', 'user name and password', 'certificate', 'issued token']

function offers(endpoints: EndpointDescription[]): string[] {
  const [first] = endpoints
  const name = first?.server.applicationName?.text || first?.server.applicationUri || 'without a name'
  const lines = endpoints.map(({ securityMode, securityPolicyUri, userIdentityTokens }) => {
    const policy = securityPolicyUri?.split('#')[1] ?? 'None'
    const offered = new Set((userIdentityTokens ?? []).map(({ tokenType }): number => tokenType))
    const logins = LOGINS.filter((_, type) => offered.has(type))
    return `offers ${MODES[securityMode]} with ${policy}, login: ${logins.join(', ') || 'none'}`
  })
  return [`server: ${name}`, ...new Set(lines)]
}

/** Source: OPC 10000-5, 6.3.11 */
async function limitsOf(connection: ServerConnection): Promise<string[]> {
  const { opcua, session, nodesPerRead, itemsPerCall } = connection
  const nodeId = `i=${opcua.VariableIds.Server_ServerCapabilities_MinSupportedSampleRate}`
  const { value, statusCode } = await connection.paced(() => session.read({ nodeId, attributeId: opcua.AttributeIds.Value }))
  const rate = statusCode.isGood() ? Number(value.value) : 0
  const sampled = rate > 0 ? [`samples every ${rate} ms at most`] : []
  return [`reads ${nodesPerRead} nodes a request`, `adds ${itemsPerCall} monitored items a call`, ...sampled]
}
