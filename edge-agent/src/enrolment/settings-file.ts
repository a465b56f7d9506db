import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Document, isMap, parseDocument } from 'yaml'
import { AgentFile, type ProxyEntry } from '../settings/schema.ts'
import { ConfigError, expandVariables, readYaml } from '../settings/tree.ts'
import { type FileAccess, makePrivateFolder, writeDurably } from '../support/durable-file.ts'
import { credentialFile } from './stored-credential.ts'

/** What the settings file says so far. */
export interface PresentSettings {
  hubUrl: string | null
  hasApiKey: boolean
  allowPlaintext: boolean
  agentId: string | null
  /** absolute; null when the file does not say */
  dataDir: string | null
  /** absolute */
  caFile: string | null
  /** null when the file does not say */
  proxy: ProxyEntry | 'none' | null
}

/** What enrolment decides. */
export interface EnrolledSettings {
  hubUrl: string
  agentId: string
  /** absolute */
  dataDir: string
  /** PEM, absolute; undefined: as the file says */
  caFile: string | undefined
  /** null: as the file says */
  proxy: ProxyEntry | null
  /** false: as the file says */
  allowPlaintext: boolean
}

const HEADER = ' Written by `enroll`. The samples explain every setting; `check` tests them.'
const CA_NAME = 'hub-ca.pem'

/**
 * @param env replaces `${NAME}` in what enrolment needs
 * @throws ConfigError for a file that cannot be read, or a variable that is not set; null when there is no file
 */
export function readSettings(file: string, env: NodeJS.ProcessEnv): PresentSettings | null {
  if (!existsSync(file)) return null
  const whole = readYaml(file) as Record<string, unknown> | null
  const { api_key: apiKey, ...contact } = sectionOf(whole, 'hub')
  const faults: string[] = []
  const needed = { hub: contact, agent_id: whole?.agent_id, data_dir: whole?.data_dir, uplink: sectionOf(whole, 'uplink') }
  const tree = expandVariables(needed, [], [], env, faults) as Record<string, unknown>
  if (faults.length > 0) throw new ConfigError(file, faults)
  const hub = sectionOf(tree, 'hub')
  const at = (path: unknown) => (typeof path === 'string' ? resolve(dirname(file), path) : null)
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
  return {
    hubUrl: text(hub.url),
    hasApiKey: apiKey !== undefined && apiKey !== null,
    allowPlaintext: hub.allow_plaintext === true,
    agentId: text(tree?.agent_id),
    dataDir: at(tree?.data_dir),
    caFile: at(sectionOf(tree, 'uplink').ca_file),
    proxy: AgentFile.shape.uplink.unwrap().shape.proxy.safeParse(sectionOf(tree, 'uplink').proxy).data ?? null,
  }
}

const sectionOf = (tree: Record<string, unknown> | null, name: string): Record<string, unknown> => {
  const section = tree?.[name]
  return typeof section === 'object' && section !== null ? (section as Record<string, unknown>) : {}
}

/** The settings with the results of enrolment; comments and all other settings stay. @param source null: there is no file yet */
export function enrolledText(source: string | null, file: string, settings: EnrolledSettings): string {
  const { hubUrl, agentId, dataDir, caFile, proxy, allowPlaintext } = settings
  const document = source === null ? new Document({}) : parseDocument(source)
  if (source === null) document.commentBefore = HEADER
  for (const section of ['hub', ...(caFile || proxy ? ['uplink'] : [])])
    if (!isMap(document.get(section))) document.set(section, document.createNode({}))
  document.setIn(['hub', 'url'], hubUrl)
  document.deleteIn(['hub', 'api_key'])
  if (allowPlaintext) document.setIn(['hub', 'allow_plaintext'], true)
  document.set('agent_id', agentId)
  if (!document.has('data_dir')) document.set('data_dir', dataDir)
  if (caFile)
    document.setIn(['uplink', 'ca_file'], caFile.startsWith(`${dirname(file)}/`) ? relative(dirname(file), caFile) : caFile)
  if (proxy) {
    const { no_proxy, ...entry } = proxy
    document.setIn(['uplink', 'proxy'], document.createNode({ ...entry, ...(no_proxy.length > 0 && { no_proxy }) }))
  }
  if (!document.has('collectors')) document.set('collectors', [])
  return document.toString({ lineWidth: 0 })
}

/**
 * Writes the credential, then the settings, each as a whole. A crash in between leaves the settings as they were, and enrolment can be
 * repeated: the enrolment key is used up only when the credential is first used.
 * @throws Error of the file system
 */
export function writeEnrolment(file: string, settings: EnrolledSettings, credential: string): void {
  const known = readOrNull(file)
  const target = { ...settings, caFile: settings.caFile && placeCa(file, settings.caFile) }
  makePrivateFolder(settings.dataDir)
  writeDurably(credentialFile(settings.dataDir), credential, { mode: 0o600, owner: ownerOf(settings.dataDir) })
  writeSettings(file, enrolledText(known, file, target))
}

const readOrNull = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null)

/** The service must be able to read the authority: root's own folder is closed to it. Certificates are no secret. */
function placeCa(file: string, caFile: string): string {
  if (dirname(caFile) === dirname(file)) return caFile
  const copy = join(dirname(file), CA_NAME)
  writeDurably(copy, readFileSync(caFile), { mode: 0o644, owner: null })
  return copy
}

/** Root writes for the user who runs the agent: the owner of the data directory. */
const ownerOf = (folder: string): FileAccess['owner'] => (process.getuid?.() === 0 ? statSync(folder) : null)

/** Settings that root writes into a folder of another group, as the package makes it, can be read by that group and changed by root only. */
export function writeSettings(file: string, text: string): void {
  makePrivateFolder(dirname(file))
  const { gid } = statSync(dirname(file))
  const isOfPackage = process.getuid?.() === 0 && gid !== 0
  writeDurably(file, text, isOfPackage ? { mode: 0o640, owner: { uid: 0, gid } } : { mode: 0o600, owner: null })
}
