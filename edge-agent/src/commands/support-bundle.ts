import { existsSync, statSync } from 'node:fs'
import { hostname, release, type, version } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { deviceOf } from '../collectors/collector.ts'
import { contractOf, tagSettingsOf } from '../collectors/contracts.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { writeDurably } from '../support/durable-file.ts'
import { fileErrorMessage } from '../support/error-message.ts'
import { AGENT_VERSION } from '../support/version.ts'
import type { Finding } from './findings.ts'
import type { StatusReport } from './status.ts'

/**
 * What may leave the plant to ask for help: only the fields that are named here, and in their words no name, address or secret of the plant. What is not
 * named here is not in it, whatever the agent learns later.
 */
export function supportBundle(config: AgentConfig, findings: readonly Finding[], status: StatusReport, now: number) {
  const hide = hider(config, status)
  const { buffer, uplink, updates, remote } = config
  const agent = status.agent
  const { buffered, oldestAt, deadLetters, dropped, usedBytes } = status.buffer
  return {
    made_at: new Date(now).toISOString(),
    agent: {
      version: AGENT_VERSION,
      node: process.version,
      system: `${type()} ${release()}, ${process.arch}`,
      kernel: version(),
    },
    settings: {
      buffer: { max_bytes: buffer.maxBytes, max_age_ms: buffer.maxAgeMs, drop_policy: buffer.dropPolicy ?? 'oldest' },
      uplink: {
        own_broker: uplink.mqtt !== undefined,
        max_in_flight: uplink.maxInFlight,
        backlog_readings_per_second: uplink.backlogReadingsPerSecond,
        receipt_timeout_ms: uplink.receiptTimeoutMs,
        ca_file: uplink.caFile !== undefined,
        proxy: uplink.proxy != null,
      },
      updates: { enabled: updates.enabled, window: updates.window ?? null },
      remote: { is_on: remote.isOn },
      log_level: config.logLevel,
      collectors: config.collectors.map((source) => ({
        name: hide(source.name),
        protocol: source.protocol,
        port: deviceOf(source)?.port ?? null,
        poll_interval_seconds: source.pollIntervalSeconds,
        tags: tagSettingsOf(source).length,
        ...contractOf(source.protocol).inBundle(source.config as never),
      })),
    },
    findings: findings.map(({ what, result, words }) => ({ what: hide(what), result, words: hide(words) })),
    status: {
      is_running: status.is_running,
      buffer: { readings: buffered, oldest_at: oldestAt, dead_letters: deadLetters, dropped, used_bytes: usedBytes },
      warnings: status.warnings.map(hide),
      damaged_files: status.damaged_files.map(({ name, consequence }) => ({ name: hide(name), consequence: hide(consequence) })),
      gaps: status.gaps.map(({ reason, from, to, count }) => ({ reason, from, to, count })),
      started_at: agent?.startedAt ?? null,
      uplink: agent && {
        state: agent.uplink.state,
        via: agent.uplink.via,
        detail: hide(agent.uplink.detail),
        last_receipt_at: agent.uplink.lastReceiptAt,
      },
      hub: agent && { detail: hide(agent.hub.detail), last_answer_at: agent.hub.lastAnswerAt },
      clock: agent && { offset_ms: agent.readingClock.offsetMs, wall_offset_ms: agent.readingClock.wallOffsetMs },
      collectors: Object.entries(agent?.collectors ?? {}).map(([name, collector]) => ({
        name: hide(name),
        state: collector.state,
        detail: hide(collector.detail),
        last_read_at: collector.lastReadAt,
        readings: collector.readingsTotal,
        bad_values: collector.badValuesTotal,
        bad_tags: collector.badTags.length,
        missed_polls: { skipped: collector.missedPolls.skipped, failed: collector.missedPolls.failed },
        source_clock: collector.sourceClock
          ? { ahead_ms: collector.sourceClock.aheadMs, is_used: collector.sourceClock.isUsed }
          : null,
      })),
    },
  }
}

/**
 * Where a bundle is to be written. Found out before the tests, which take a while.
 * @throws Error in words where it cannot be
 */
export function bundleFile(given: string): string {
  const file = resolve(given)
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)} for the bundle.`)
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${file} is a folder: name a file in it for the bundle, such as ${join(file, 'help.json')}.`)
  return file
}

/** @throws Error in words */
export function writeBundle(file: string, bundle: object): void {
  try {
    writeDurably(file, `${JSON.stringify(bundle, null, 2)}\n`)
  } catch (error) {
    throw new Error(`${file} cannot be written: ${fileErrorMessage(error)}`)
  }
}

const SECRET = /\b(?:h[ke]_[A-Za-z0-9_-]{6,}|eyJ[A-Za-z0-9_-]{10,}[A-Za-z0-9_.-]*)/g
const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7}\b/gi
/** Files that a collector found, and what stands in them: its words quote both. */
const PATH = /(?<![\w/.:-])\/(?!\/)[^\s:;,"']+/g
const QUOTED = /"(?:[^"\\]|\\.)*"/g
/** The subject of a certificate. Source: RFC 4514 */
const SUBJECT = /\b(?:CN|OU|O|C|L|ST|DC)=[^,;]*(?:, ?(?:CN|OU|O|C|L|ST|DC)=[^,;]*)*/g
/** What a file or a birth holds, and the settings do not name. */
const NAMES_THERE = /; (there are|it has) .*$/
/** Namespaces of an OPC UA server, of which the settings name some. */
const NAMESPACE = /\b(ns=\d+ was|has no namespace) .*?(?=, which|;|$)/g
const MAIL = /[\w.+-]+@[\w-]+\.[\w.-]+/g

const patternOf = (glob: string): RegExp => {
  const parts = glob
    .split(/([*?])/)
    .map((part) => (part === '*' ? '[^/]*?' : part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&')))
  return new RegExp(parts.join(''), 'g')
}

/** Replaces each name of the plant by the same placeholder everywhere, so that what belongs together can still be seen. */
function hider(config: AgentConfig, status: StatusReport): (words: string) => string {
  const names = new Map<string, string>()
  const add = (kind: string, values: Iterable<string | undefined>) => {
    let count = 0
    for (const value of values) if (value && !names.has(value)) names.set(value, `${kind}-${++count}`)
  }
  const { hub, uplink, collectors } = config
  const hostsOf = (url: string | undefined) => (url && URL.canParse(url) ? [new URL(url).host, new URL(url).hostname] : [])
  const tags = collectors.flatMap((source) => tagSettingsOf(source).map(({ tag }) => tag))
  add('host', [
    ...hostsOf(hub.url),
    ...hostsOf(uplink.mqtt?.url),
    uplink.proxy?.host,
    hostname(),
    ...collectors.map((source) => deviceOf(source)?.host),
  ])
  add('user', [
    uplink.mqtt?.username,
    uplink.proxy?.username ?? undefined,
    ...collectors.map(({ config: settings }) => ('username' in settings ? settings.username : undefined)),
  ])
  add('agent', [config.agentId])
  add('collector', [...collectors.map(({ name }) => name), ...Object.keys(status.agent?.collectors ?? {})])
  add('machine', [...collectors.map(({ machine }) => machine), ...tags.map(({ machine_identifier }) => machine_identifier)])
  // One plain word, such as `speed`, tells nothing, and stands in sentences too; nor does the number of a column.
  const isTelling = (name: string | undefined) => name !== undefined && !/^(?:[a-z]+|\d{1,3})$/.test(name)
  add('metric', tags.map(({ metric_name }) => metric_name).filter(isTelling))
  add('name', collectors.flatMap((source) => contractOf(source.protocol).namesOf(source.config as never)).filter(isTelling))
  add('folder', [config.dataDir, config.file])
  // Longer names first: one may be part of another.
  const ordered = [...names].toSorted(([a], [b]) => b.length - a.length)
  // files that a pattern names
  const patterns = [...names.keys()].filter((name) => name.startsWith('/') && /[*?]/.test(name)).map(patternOf)
  return (words) => {
    let hidden = words
      .replace(SECRET, 'secret')
      .replace(SUBJECT, 'subject')
      .replace(MAIL, 'mail-address')
      .replace(NAMESPACE, '$1 ...')
      .replace(NAMES_THERE, '; $1 ...')
    for (const pattern of patterns) hidden = hidden.replace(pattern, 'path')
    for (const [name, placeholder] of ordered) hidden = hidden.replaceAll(isShort(name) ? wordOf(name) : name, () => placeholder)
    return hidden.replace(QUOTED, '"..."').replace(PATH, 'path').replace(ADDRESS, 'address')
  }
}

/** A short name may be part of any word, which would be destroyed without hiding anything: it counts as a word of its own only. */
const isShort = (name: string): boolean => name.length < 5
const wordOf = (name: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}_])`, 'gu')
