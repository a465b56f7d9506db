import { closeSync, fsyncSync, openSync, readFileSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'
import { join } from 'node:path'
import { pkiDir, trustedAuthorities } from '../agent-paths.ts'
import { certificateIn, listServerCertificates } from '../collectors/index.ts'
import { contactHub } from '../enrolment/hub-connection.ts'
import { askAgent } from '../local/local-client.ts'
import type { Overview } from '../local/overview.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { shortError } from '../support/short-error.ts'
import { type CheckDeps, check } from './check.ts'
import type { Finding } from './findings.ts'

const DAY_MS = 86_400_000
/** Certificates that expire sooner are mentioned. */
const EXPIRY_MS = 30 * DAY_MS
/** A write that reaches the disk later than this slows down collecting; SD cards take about 20 ms. */
const SLOW_WRITE_MS = 100
const WRITES = 5
const LOW_MEMORY = 0.05
const CONTACT_MS = 10_000
const MEGABYTE = 1_048_576

const finding = (what: string, result: Finding['result'], words: string, lines: string[] = []): Finding => ({
  what,
  result,
  words,
  lines,
})

/** Everything that `check` finds, and the state of this computer: disk, memory, certificates, permissions, and the running agent. */
export async function doctor(config: AgentConfig, deps: CheckDeps): Promise<Finding[]> {
  const limits: Finding[] = []
  const probe: CheckDeps['probe'] = async (source, given) => {
    const found = await deps.probe(source, given)
    if (found.limits?.length) limits.push(finding(`${source.name}`, 'ok', found.limits.join(', ')))
    return found
  }
  const checked = await check(config, { ...deps, probe })
  return [
    ...checked,
    ...limits.toSorted((a, b) => (a.what < b.what ? -1 : 1)),
    ...disk(config),
    memory(),
    permissions(config),
    ...(await certificates(config, deps.clock.now())),
    await runningAgent(config),
  ]
}

function disk({ dataDir, buffer }: AgentConfig): Finding[] {
  try {
    const { bavail, bsize, blocks } = statfsSync(dataDir)
    const free = bavail * bsize
    const words = `${megabytes(free)} of ${megabytes(blocks * bsize)} are free`
    const missing = buffer.maxBytes - free
    const space =
      missing > 0
        ? finding(
            'disk',
            'note',
            `${words}, and the buffer may take ${megabytes(buffer.maxBytes)}: it will be full earlier (buffer.max_megabytes)`,
          )
        : finding('disk', 'ok', words)
    return [space, writeTime(dataDir)]
  } catch (error) {
    return [finding('disk', 'FAIL', `${dataDir}: ${shortError(error)}`)]
  }
}

/** How long a small write takes to reach the disk: the median of a few. */
function writeTime(dataDir: string): Finding {
  const file = join(dataDir, `doctor-${process.pid}.tmp`)
  const times: number[] = []
  const handle = openSync(file, 'w', 0o600)
  try {
    for (let i = 0; i < WRITES; i++) {
      const startedAt = performance.now()
      writeSync(handle, Buffer.alloc(4_096), 0, 4_096, 0)
      fsyncSync(handle)
      times.push(performance.now() - startedAt)
    }
  } finally {
    closeSync(handle)
    rmSync(file, { force: true })
  }
  const median = times.toSorted((a, b) => a - b)[WRITES >> 1] as number
  const words = `a write reaches the disk in ${median < 1 ? 'under 1' : Math.round(median)} ms`
  return median > SLOW_WRITE_MS
    ? finding('disk speed', 'note', `${words}: fast polls wait for it`)
    : finding('disk speed', 'ok', words)
}

function memory(): Finding {
  const words = `${megabytes(freemem())} of ${megabytes(totalmem())} are free`
  return freemem() / totalmem() < LOW_MEMORY
    ? finding('memory', 'note', `${words}: little is left`)
    : finding('memory', 'ok', words)
}

function permissions({ dataDir }: AgentConfig): Finding {
  const known = statSync(dataDir, { throwIfNoEntry: false })
  if (!known) return finding('permissions', 'note', `${dataDir} does not exist yet; the agent makes it`)
  const mode = known.mode & 0o777
  const isOwn = process.getuid === undefined || process.getuid() === 0 || known.uid === process.getuid()
  if (!isOwn)
    return finding(
      'permissions',
      'FAIL',
      `${dataDir} belongs to another user: run this as the user of the agent, or correct it with chown`,
    )
  return (mode & 0o077) === 0
    ? finding('permissions', 'ok', `only its owner can enter ${dataDir}`)
    : finding('permissions', 'FAIL', `other users can enter ${dataDir}, which holds keys: chmod 700 ${dataDir}`)
}

async function certificates(config: AgentConfig, now: number): Promise<Finding[]> {
  const { dataDir, hub, uplink } = config
  const found: Finding[] = []
  const note = (what: string, name: string, validTo: Date) => {
    const left = validTo.getTime() - now
    const day = validTo.toISOString().slice(0, 10)
    if (left < 0) found.push(finding(what, 'FAIL', `${name} expired on ${day}`))
    else if (left < EXPIRY_MS) found.push(finding(what, 'note', `${name} expires on ${day}`))
    else found.push(finding(what, 'ok', `${name} is valid until ${day}`))
  }
  const own = certificateOf(join(pkiDir(dataDir), 'own', 'certificate.pem'))
  if (own) note('certificate', 'that of this agent for OPC UA', new Date(own.validTo))
  // the agent trusts the certificate itself, so its expiry is only worth a note
  for (const { subject, validTo, isTrusted } of await listServerCertificates(pkiDir(dataDir)).catch(() => []))
    if (isTrusted && validTo.getTime() - now < EXPIRY_MS)
      found.push(
        finding(
          'certificate',
          'note',
          `that of an OPC UA server ends on ${validTo.toISOString().slice(0, 10)}; the agent goes on trusting it`,
          // not in the words: the support bundle repeats them
          [subject],
        ),
      )
  const authority = uplink.caFile === undefined ? null : certificateOf(uplink.caFile)
  if (authority) note('certificate', 'the authority of ca_file', new Date(authority.validTo))
  if (hub.url.startsWith('https:')) {
    try {
      const contact = { ca: trustedAuthorities(config), proxy: uplink.proxy ?? null }
      const { tls } = await contactHub(hub.url, contact, CONTACT_MS, () => now)
      if (tls?.certificate.valid_to) note('certificate', 'that of the hub', new Date(tls.certificate.valid_to))
    } catch {
      // check has said that the hub cannot be reached
    }
  }
  return found
}

function certificateOf(file: string) {
  try {
    return certificateIn(readFileSync(file))
  } catch {
    return null
  }
}

async function runningAgent({ dataDir }: AgentConfig): Promise<Finding> {
  try {
    const { version, errors } = await askAgent<Overview>(dataDir, 'GET', '/overview')
    const present = errors.filter(({ until }) => until === null)
    const [first] = present
    return first
      ? finding(
          'agent',
          'FAIL',
          `version ${version} runs; ${first.what}: ${first.words}${present.length > 1 ? ` (and ${present.length - 1} more: status --watch)` : ''}`,
        )
      : finding('agent', 'ok', `version ${version} runs, and nothing is wrong`)
  } catch (error) {
    return finding('agent', 'note', shortError(error))
  }
}

const megabytes = (bytes: number): string =>
  bytes >= 1024 * MEGABYTE ? `${(bytes / 1024 / MEGABYTE).toFixed(1)} GB` : `${Math.round(bytes / MEGABYTE)} MB`
