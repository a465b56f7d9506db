import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { z } from 'zod'
import { contractOf, tagSettingsOf } from '../collectors/contracts.ts'
import { StoredCredential } from '../enrolment/stored-credential.ts'
import { plaintextFault } from '../support/encryption.ts'
import { fileErrorMessage } from '../support/error-message.ts'
import type { AgentConfig } from './schema.ts'

/**
 * The path of a key in a fault message: `uplink.mqtt.url`.
 * @param where the name of each collector in messages, because an included file may define it
 */
export function keyPath(path: readonly PropertyKey[], where: readonly string[]): string {
  const [first, index, ...rest] = path
  const place = first === 'collectors' && typeof index === 'number' ? where[index] : undefined
  return (place === undefined ? path : [place, ...rest]).reduce<string>(
    (said, key) => (typeof key === 'number' ? `${said}[${key}]` : said ? `${said}.${String(key)}` : String(key)),
    '',
  )
}

/** Describes one validation issue with its key. */
export function describeIssue(issue: z.core.$ZodIssue, where: readonly string[]): string[] {
  const at = keyPath(issue.path, where)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${keyPath([...issue.path, key], where)}: there is no such setting`)
  if (issue.code === 'invalid_type' && issue.input === undefined && /received undefined/.test(issue.message))
    return [`${at}: is missing`]
  if (issue.code === 'too_small' && issue.minimum === 1 && (issue.origin === 'string' || issue.origin === 'array'))
    return [`${at}: must not be empty`]
  if (issue.code === 'too_big' && issue.origin === 'array' && Number(issue.maximum) >= 10_000)
    return [`${at}: has more than ${Number(issue.maximum).toLocaleString('en')} entries: divide them among several collectors`]
  if (issue.code === 'invalid_union') return [`${at}: ${issue.message.replace(/^Invalid discriminator value. E/, 'e')}`]
  return [`${at}: ${issue.message.replace(/^(Invalid (input|option)|Too small|Too big): /, '')}`]
}

/** Faults that no single key has. @param where as for {@link keyPath} */
export function crossFieldFaults({ hub, agentId, uplink, collectors }: AgentConfig, where: readonly string[]): string[] {
  const faults: string[] = []
  for (const [key, url] of [['hub.url', hub.url] as const, ['uplink.mqtt.url', uplink.mqtt?.url] as const]) {
    const objection = url === undefined ? null : (credentialObjection(url) ?? plaintextFault(url, hub.allowPlaintext))
    if (objection) faults.push(`${key}: ${objection}`)
  }
  if (hub.apiKey instanceof StoredCredential && hub.apiKey.agentId !== agentId)
    faults.push(
      `agent_id: this agent is enrolled as ${hub.apiKey.agentId}; set agent_id: ${hub.apiKey.agentId}, or enrol it as ${agentId}`,
    )
  if (uplink.caFile !== undefined) faults.push(...caFaults(uplink.caFile))
  const names = new Set<string>()
  const series = new Map<string, string>()
  collectors.forEach((collector, i) => {
    const at = where[i] ?? `collectors[${i}]`
    const { name } = collector
    if (names.has(name)) faults.push(`${at}.name: ${JSON.stringify(name)} is taken by an earlier collector`)
    names.add(name)
    const own = contractOf(collector.protocol).configFaults(collector.config as never)
    faults.push(...own.map(({ path, message }) => `${at}.${path.replace(/\.(\d+)/g, '[$1]')}: ${message}`))
    for (const { at: key, tag } of tagSettingsOf(collector)) {
      const name = JSON.stringify([tag.machine_identifier ?? collector.machine, tag.metric_name, tag.unit])
      const earlier = series.get(name)
      if (earlier === undefined) series.set(name, `${at}.${key}`)
      else faults.push(`${at}.${key}: has the machine, metric and unit of ${earlier}, so one would hide the other`)
    }
  })
  return faults
}

/** Addresses are logged and shown; passwords must not be. */
function credentialObjection(url: string): string | null {
  const { username, password } = new URL(url)
  return username || password ? 'must not hold a user name or password: addresses are shown in logs' : null
}

function caFaults(file: string): string[] {
  try {
    const pem = readFileSync(file, 'utf8')
    if (!pem.includes('-----BEGIN CERTIFICATE-----')) return [`uplink.ca_file: ${file} holds no certificate in PEM form`]
    createSecureContext({ ca: pem })
    return []
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const words = fileErrorMessage(error)
    return [code === 'ENOENT' ? `uplink.ca_file: there is no file ${file}` : `uplink.ca_file: ${file} cannot be used: ${words}`]
  }
}
