import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ReadStream } from 'node:tty'
import type { Fault, ModbusConfig, ModbusRegister } from '@haltless/protocol'
import { pkiDir, trustAdvice } from '../agent-paths.ts'
import {
  type BrowsePage,
  browseOpcUa,
  type FoundNode,
  type OpcUaSource,
  type ProbeDeps,
  readOnce,
  scanUnits,
} from '../collectors/index.ts'
import { promptHidden } from '../enrolment/read-key.ts'
import { writeSettings } from '../enrolment/settings-file.ts'
import { loadConfig } from '../settings/config.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { ConfigError } from '../settings/tree.ts'
import { KnownNamespaces } from '../sources/known-namespaces.ts'
import { agentCommand, commandName } from '../support/agent-command.ts'
import { systemClock } from '../support/clock.ts'
import type { DamageLog } from '../support/durable-file.ts'
import { errorFault } from '../support/error-message.ts'
import { createLogger } from '../support/logger.ts'
import { addNodes } from './add-nodes.ts'
import { formatBrowse } from './browse.ts'
import { AddressError, modbusSource, opcUaSource } from './device-address.ts'
import { alignColumns, formatCount } from './output.ts'
import { PASSWORD_VARIABLE } from './password-variable.ts'
import { formatProbe } from './probe.ts'

export interface BrowseOptions {
  config: string
  search?: string
  under?: string
  limit: number
  page: number
  security?: string
  policy?: string
  user?: string
  add?: string[]
  machine?: string
  name?: string
  json?: boolean
}

export interface ProbeOptions {
  config: string
  unit?: number
  table: ModbusRegister['table']
  framing?: ModbusConfig['framing']
  answersAs?: number
  timeout?: number
  scanUnits?: number[]
  json?: boolean
}

/** A search of a server with more nodes than this takes minutes; people begin deeper. */
const VISIT_MAX = 200_000
const print = (text: string): void => void process.stdout.write(`${text}\n`)

export async function browse(server: string, options: BrowseOptions, stop: AbortSignal): Promise<void> {
  await withDeps(options.config, async (config, deps) => {
    const password = options.user === undefined ? undefined : await passwordOf(options.user)
    const source = opcUaSource(server, config?.collectors ?? [], { ...options, ...(password !== undefined && { password }) })
    const { limit, page, search, under, add } = options
    const skip = (page - 1) * limit
    const progress = process.stderr.isTTY ? (n: number) => process.stderr.write(`\r${formatCount(n, 'node')} ...`) : undefined
    const query = { skip, limit, visitMax: VISIT_MAX, ...(search && { search }), ...(under && { under }) }
    const found = await browseOpcUa(source, { ...query, ...(progress && { onProgress: progress }) }, deps, stop).catch(
      (error) => {
        throw new Error(orNoCollector(server, options.config, errorFault(error)))
      },
    )
    if (progress) process.stderr.write('\r\x1b[K')
    if (add && found.nodes.length > 0)
      return print(addFound(source, options, found, (of) => rememberedBy(of, config, deps.logger)))
    if (options.json) return print(JSON.stringify(found, null, 2))
    const given = [...(search ? ['--search', search] : []), ...(under ? ['--under', under] : [])]
    const next = agentCommand(resolve(options.config), 'browse', server, ...given, '--limit', `${limit}`, '--page', `${page + 1}`)
    print(formatBrowse(found, skip, next))
    if (found.nodes.length === 0) process.exitCode = 1
  })
}

/** Writes the chosen nodes, and takes that back where the settings would have faults that they had not. */
function addFound(
  source: OpcUaSource,
  options: BrowseOptions,
  { nodes }: BrowsePage,
  remembered: (source: OpcUaSource) => readonly string[] | null,
): string {
  const { config, add = [], machine, name } = options
  const file = resolve(config)
  if (!existsSync(file))
    throw new AddressError(`There is no file ${file}. Write it with ${commandName()} enroll, or name it with --config.`)
  const isAll = add.length === 1 && add[0] === 'all'
  const missing = isAll ? undefined : add.find((id) => !nodes.some((node) => isNode(node, id)))
  if (missing !== undefined)
    throw new AddressError(
      `${missing} is not among the ${formatCount(nodes.length, 'variable')} of this page: narrow it with --search or --under.`,
    )
  const chosen = nodes.filter((node) => (isAll ? node.fault === null : add.some((id) => isNode(node, id))))
  const useless = chosen.find(({ fault }) => fault !== null)
  if (useless) throw new AddressError(`${useless.nodeId} cannot become readings: ${useless.fault}.`)
  const faultsBefore = faultsOf(config)
  const collector = source.machine === '' ? (name ?? source.host) : source.name
  const meant = remembered({ ...source, name: collector })
  const { file: written, added, before } = addNodes(file, source, collector, machine ?? null, chosen, meant)
  if (added.length === 0)
    return `${written} has ${chosen.length === 0 ? 'nothing new: the page lists no numbers' : 'these nodes already'}.`
  const fault = faultsOf(config).find((each) => !faultsBefore.includes(each))
  if (fault !== undefined) {
    writeSettings(written, before)
    throw new AddressError(`Nothing was written, because the settings would have a fault: ${fault}`)
  }
  const unknown = added.filter(({ unit }) => unit === 'unknown').length
  return [
    `${formatCount(added.length, 'node')} added to ${collector} in ${written}:`,
    alignColumns(
      added.map(({ node_id, metric_name, unit }) => [metric_name, unit, node_id]),
      '  ',
    ),
    ...(unknown > 0 ? [`The server names no unit for ${unknown} of them: replace \`unknown\`.`] : []),
    `Then: ${agentCommand(file, 'check')}`,
  ].join('\n')
}

/** The namespaces that the indexes in the settings of a collector mean; null: it had no session yet. */
const rememberedBy = (source: OpcUaSource, config: AgentConfig | null, log: DamageLog): readonly string[] | null =>
  (config && new KnownNamespaces(config.dataDir, log).namespaceStore(source)?.remembered()) ?? null

const isNode = ({ nodeId, indexed }: FoundNode, given: string): boolean => given === nodeId || given === indexed

function faultsOf(config: string): readonly string[] {
  try {
    loadConfig(config, process.env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

export async function probeDevice(
  device: string,
  address: number | undefined,
  options: ProbeOptions,
  stop: AbortSignal,
): Promise<void> {
  await withDeps(options.config, async (config, deps) => {
    const { unit, timeout, table } = options
    const source = modbusSource(device, config?.collectors ?? [], {
      ...(unit !== undefined && { unit_id: unit }),
      ...(options.framing !== undefined && { framing: options.framing }),
      ...(options.answersAs !== undefined && { answers_as: options.answersAs }),
      ...(timeout !== undefined && { timeout_ms: timeout }),
    })
    if (options.scanUnits) {
      const found = await scanUnits(source, options.scanUnits, deps, stop, (id, words) => {
        if (words !== null && !options.json) print(`unit ${id}: ${words}`)
      })
      if (options.json) print(JSON.stringify(found))
      else if (found.length === 0) print('No unit answered.')
      return
    }
    if (address === undefined) throw new AddressError('Which register? Give its address, from 0, or --scan-units 1-10.')
    const isBits = table === 'coil' || table === 'discrete'
    const answer = await readOnce(source, { table, address, quantity: isBits ? 1 : Math.min(4, 65_536 - address) }, deps, stop)
    const words = answer.fault && orNoCollector(device, options.config, answer.fault)
    print(
      options.json
        ? JSON.stringify({ ...answer, ...(answer.data ? { data: answer.data.toString('hex') } : { fault: words }) })
        : formatProbe(source, { table, address }, answer, words),
    )
    if (!answer.data) process.exitCode = 1
  })
}

const UNKNOWN_HOST = ['host_name_unknown', 'host_name_unresolved']

/** A word without dots and colons may be the misspelt name of a collector. */
const orNoCollector = (where: string, config: string, { code, detail }: Fault): string =>
  /^[^.:]+$/.test(where) && UNKNOWN_HOST.includes(code)
    ? `${detail}, and ${resolve(config)} has no collector of this name, or is not complete`
    : detail

/** Settings with faults, or none yet, do not keep a person from looking at a device by its address. */
async function withDeps(file: string, work: (config: AgentConfig | null, deps: ProbeDeps) => Promise<void>): Promise<void> {
  let config: AgentConfig | null = null
  let fault: ConfigError | null = null
  try {
    config = loadConfig(file, process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    fault = error
  }
  const folder = config ? null : mkdtempSync(join(tmpdir(), 'haltless-pki-'))
  const advice = (thumbprint: string) =>
    `${agentCommand(resolve(file), 'trust', thumbprint)}, once ${resolve(file)} is complete: a certificate is kept in its data_dir`
  try {
    await work(config, {
      clock: systemClock,
      logger: createLogger('silent'),
      pkiDir: config ? pkiDir(config.dataDir) : (folder as string),
      trustAdvice: config ? trustAdvice(config) : advice,
    })
  } catch (error) {
    if (error instanceof AddressError && fault && existsSync(file)) throw new AddressError(`${error.message}\n${fault.message}`)
    throw error
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true })
  }
}

async function passwordOf(user: string): Promise<string> {
  const given = process.env[PASSWORD_VARIABLE]
  if (given) return given
  if (!process.stdin.isTTY)
    throw new AddressError(`The password of ${user} is missing: set ${PASSWORD_VARIABLE}, or run this at a terminal.`)
  return promptHidden(`Password of ${user}: `, process.stdin as ReadStream, process.stderr)
}
