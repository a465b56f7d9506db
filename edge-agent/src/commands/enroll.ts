import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { AgentId, type EnrolmentOffer, IssuedCredential } from '@haltless/protocol'
import { testBroker } from '../enrolment/broker-connection.ts'
import {
  checkClock,
  checkTls,
  contactHub,
  finding,
  noContact,
  STEP_MS,
  testApi,
  testDns,
  testProxy,
} from '../enrolment/hub-connection.ts'
import { type EnrolledSettings, type PresentSettings, readSettings, writeEnrolment } from '../enrolment/settings-file.ts'
import { credentialFile, firstCredential } from '../enrolment/stored-credential.ts'
import { defaultAgentId, type ProxyEntry, resolveProxy } from '../settings/schema.ts'
import { authorities } from '../support/authorities.ts'
import type { Clock } from '../support/clock.ts'
import { plaintextFault } from '../support/encryption.ts'
import { errorMessage } from '../support/error-message.ts'
import { HttpClient } from '../support/http.ts'
import { problemDetail } from '../support/problem.ts'
import { type ProxySettings, percentDecoded } from '../support/proxy.ts'
import type { Secret } from '../support/secret.ts'
import { AGENT_VERSION } from '../support/version.ts'
import type { Finding } from './findings.ts'

export interface EnrollOptions {
  /** the settings file, as the person gave it */
  config: string
  hub: string
  agentId?: string
  /** a file in PEM form */
  ca?: string
  /** the folder of buffer and credential, for settings that do not name it */
  dataDir?: string
  /** http://[user:password@]host:port */
  proxy?: string
  force?: boolean
}

export interface EnrollDeps {
  clock: Clock
  /** receives each result as soon as it is known */
  report: (finding: Finding) => void
  stepMs?: number
  /** of the agent: HALTLESS_DATA_DIR comes before the settings */
  env?: NodeJS.ProcessEnv
}

/** Why the agent was not enrolled, in a sentence that says what to do. */
export class EnrollError extends Error {
  override readonly name = 'EnrollError'
}

const WIDEST = 'WebSocket'.length

/** A finding as one line, aligned with those of the other steps. */
export const formatStep = ({ what, result, words }: Finding): string => `${result.padEnd(4)}  ${what.padEnd(WIDEST)}  ${words}`

/**
 * Tests every transport, exchanges the enrolment key for a credential, and writes credential and settings. The enrolment key is never
 * written. Everything that can be tested is tested before the exchange.
 * @throws EnrollError; then nothing was written
 */
export async function enroll(options: EnrollOptions, key: Secret, deps: EnrollDeps): Promise<EnrolledSettings> {
  const file = resolve(options.config)
  refuseUnwritable(dirname(file))
  const known = readSettings(file, deps.env ?? {})
  const allowPlaintext = plaintextOf(deps.env ?? {}) ?? known?.allowPlaintext ?? false
  const hubUrl = hubAddress(options.hub, allowPlaintext)
  const fallback = options.dataDir ?? join(dirname(file), 'data')
  const dataDir = resolve(deps.env?.HALTLESS_DATA_DIR || (known?.dataDir ?? fallback))
  refuseSecondEnrolment(file, known, dataDir, options.force ?? false)
  if (options.agentId !== undefined && !AgentId.safeParse(options.agentId).success)
    throw new EnrollError(`--agent-id ${options.agentId}: it must be 1 to 64 of A-Z a-z 0-9 _ -`)
  const caFile = options.ca === undefined ? undefined : resolve(options.ca)
  const ca = trusted(caFile ?? known?.caFile ?? undefined)
  const proxy =
    options.proxy === undefined ? null : proxyOption(options.proxy, resolveProxy(known?.proxy ?? undefined, deps.env ?? {}))
  const usedProxy = proxy ? resolveProxy(proxy, {}) : resolveProxy(known?.proxy ?? undefined, deps.env ?? {})
  const http = new HttpClient(ca, usedProxy)
  try {
    const test = { hubUrl, ca, proxy: usedProxy, http, key, allowPlaintext }
    const offer = await testTransports(test, deps)
    const agentId = options.agentId ?? offer.agent_id ?? known?.agentId ?? defaultAgentId()
    if (offer.agent_id !== null && offer.agent_id !== agentId)
      throw new EnrollError(
        `This enrolment key enrols only the agent ${offer.agent_id}: use --agent-id ${offer.agent_id}, or another key.`,
      )
    // a service does not have the environment of this command
    const settings = {
      ...{ hubUrl, agentId, dataDir, caFile, proxy: proxy ?? (known?.proxy ? null : entryOf(usedProxy)) },
      allowPlaintext: allowPlaintext && !known?.allowPlaintext,
    }
    const issued = await exchange(http, settings, key)
    write(file, settings, firstCredential(agentId, issued, deps.clock.now()))
    await useOnce(http, settings, issued, deps)
    return settings
  } finally {
    http.close()
  }
}

/** What the environment says before the settings; null: nothing. @throws EnrollError */
function plaintextOf({ HALTLESS_ALLOW_PLAINTEXT: value }: NodeJS.ProcessEnv): boolean | null {
  if (value === undefined || value === '') return null
  if (value !== 'true' && value !== 'false') throw new EnrollError('HALTLESS_ALLOW_PLAINTEXT must be true or false')
  return value === 'true'
}

/** The address without a path; https is assumed. @throws EnrollError */
function hubAddress(given: string, allowPlaintext: boolean): string {
  const text = /^[a-z]+:\/\//i.test(given) ? given : `https://${given}`
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new EnrollError(`--hub ${given} is not an address such as https://hub.example.com`)
  const { username, password, href } = new URL(text)
  if (username || password) throw new EnrollError('--hub must not hold a user name or password.')
  const url = href.replace(/\/+(api\/v1\/?)?$/, '')
  const objection = plaintextFault(url, allowPlaintext)
  if (objection) throw new EnrollError(`--hub: ${objection}`)
  return url
}

/** A proxy of the environment as an entry of the settings. */
const entryOf = (proxy: ProxySettings | null): ProxyEntry | null =>
  proxy && {
    url: `http://${proxy.host.includes(':') ? `[${proxy.host}]` : proxy.host}:${proxy.port}`,
    ...(proxy.username !== null && { username: proxy.username }),
    ...(proxy.password !== null && { password: proxy.password.reveal() }),
    no_proxy: [...proxy.noProxy],
  }

/** `--proxy` as an entry of the settings, with the exceptions of the one before. @throws EnrollError; it does not repeat the password */
function proxyOption(given: string, before: ProxySettings | null): ProxyEntry {
  const text = /^[a-z]+:\/\//i.test(given) ? given : `http://${given}`
  if (!URL.canParse(text) || new URL(text).protocol !== 'http:' || new URL(text).pathname !== '/')
    throw new EnrollError('--proxy is not an address such as http://proxy.example.com:3128')
  const { username, password, host } = new URL(text)
  return {
    url: `http://${host}`,
    ...(username && { username: percentDecoded(username) }),
    ...(password && { password: percentDecoded(password) }),
    no_proxy: [...(before?.noProxy ?? [])],
  }
}

/** Before anything is sent. @throws EnrollError */
function refuseUnwritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw new EnrollError(`${folder} cannot be written: ${errorMessage(error)}; run the command with sudo.`)
  }
}

function refuseSecondEnrolment(file: string, known: PresentSettings | null, dataDir: string, force: boolean): void {
  if (force || !known?.hubUrl || known.hasApiKey || !existsSync(credentialFile(dataDir))) return
  throw new EnrollError(
    `This agent is enrolled at ${known.hubUrl}${known.agentId ? ` as ${known.agentId}` : ''} (${file}). To enrol it again, have an admin release it in the hub, then add --force.`,
  )
}

/** @throws EnrollError */
function trusted(caFile: string | undefined): string[] {
  if (caFile === undefined) return authorities(undefined)
  try {
    const pem = readFileSync(caFile, 'utf8')
    if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new EnrollError(`${caFile} holds no certificate in PEM form.`)
    createSecureContext({ ca: pem })
    return authorities(caFile)
  } catch (error) {
    if (error instanceof EnrollError) throw error
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new EnrollError(isMissing ? `There is no file ${caFile}.` : `${caFile} cannot be used: ${errorMessage(error)}`)
  }
}

interface TransportTest {
  hubUrl: string
  ca: string[] | undefined
  proxy: ProxySettings | null
  http: HttpClient
  key: Secret
  allowPlaintext: boolean
}

/** Tests the transports in order, and reports which one the agent will use. @throws EnrollError when the hub cannot be reached */
async function testTransports(test: TransportTest, { clock, report, stepMs = STEP_MS }: EnrollDeps): Promise<EnrolmentOffer> {
  const { hubUrl, ca, proxy, http, key, allowPlaintext } = test
  const passed = (found: Finding) => {
    report(found)
    if (found.result === 'FAIL') throw new EnrollError('Nothing was changed.')
  }
  passed(await testDns(hubUrl, proxy, stepMs))
  passed(await testProxy(hubUrl, proxy, stepMs))
  const contact = await contactHub(hubUrl, { ca, proxy }, stepMs, () => clock.now()).catch((error: unknown) => {
    passed(noContact(hubUrl, error))
    throw error
  })
  report(checkClock(contact.aheadMs))
  passed(checkTls(hubUrl, contact))
  const { finding: api, offer } = await testApi(hubUrl, key, http, stepMs)
  passed(api)
  if (!offer) throw new Error('a passed test has an offer')
  const broker = { allowPlaintext, ca, proxy, stepMs }
  const mqtt = await testBroker({ ...broker, what: 'MQTT', url: offer.mqtt_url })
  report(mqtt)
  const webSocket = await testBroker({ ...broker, what: 'WebSocket', url: `${hubUrl.replace(/^http/, 'ws')}/mqtt` })
  report(webSocket)
  report(finding('transport', 'ok', `the agent will use ${transportOf(mqtt, webSocket)}`))
  return offer
}

const transportOf = (mqtt: Finding, webSocket: Finding): string =>
  mqtt.result === 'ok'
    ? 'MQTT'
    : webSocket.result === 'ok'
      ? 'MQTT over WebSocket'
      : 'HTTP, which is slower; let MQTT through the firewall to speed it up'

/** @throws EnrollError */
async function exchange(http: HttpClient, { hubUrl, agentId }: EnrolledSettings, key: Secret): Promise<string> {
  const body = {
    agent_id: agentId,
    agent_version: AGENT_VERSION,
    platform: `${process.platform} ${process.arch}`,
    hostname: hostname().slice(0, 255),
  }
  const again = 'run the same command again'
  try {
    const answer = await http.post(`${hubUrl}/api/v1/agent/enroll`, body, { 'x-api-key': key.reveal() }, STEP_MS)
    const issued = IssuedCredential.safeParse(answer.body)
    if (answer.status === 201 && issued.success) return issued.data.credential
    throw new EnrollError(`The hub answered ${answer.status}${problemDetail(answer.body) || `; ${again}`}`)
  } catch (error) {
    if (error instanceof EnrollError) throw error
    throw new EnrollError(`The hub did not answer the enrolment: ${errorMessage(error)}. The key is not used up: ${again}.`)
  }
}

/** @throws EnrollError */
function write(file: string, settings: EnrolledSettings, credential: string): void {
  try {
    writeEnrolment(file, settings, credential)
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    const remedy = code === 'EACCES' || code === 'EPERM' ? 'run the command with sudo' : 'mend that and run the command again'
    throw new EnrollError(
      `${path ?? file} cannot be written: ${errorMessage(error)}; ${remedy}. The enrolment key can be used again.`,
    )
  }
}

/** The first use of the credential uses up the enrolment key. When it fails, the agent repeats it. */
async function useOnce(
  http: HttpClient,
  { hubUrl, agentId }: EnrolledSettings,
  credential: string,
  { report, stepMs = STEP_MS }: EnrollDeps,
): Promise<void> {
  const query = new URLSearchParams({ agent_id: agentId, agent_version: AGENT_VERSION })
  const headers = { 'x-api-key': credential }
  const outcome = await http.get(`${hubUrl}/api/v1/agent/heartbeat?${query}`, headers, stepMs).then(
    ({ status, body }) => (status === 200 || status === 402 ? null : `the hub answered ${status}${problemDetail(body)}`),
    (error: unknown) => errorMessage(error),
  )
  report(
    outcome === null
      ? finding('enrolled', 'ok', `the hub accepts this agent as ${agentId}`)
      : finding('enrolled', 'note', `as ${agentId}; the agent will report when the hub answers again (${outcome})`),
  )
}
