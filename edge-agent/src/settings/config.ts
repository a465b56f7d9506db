import { dirname, resolve } from 'node:path'
import { CredentialError, NoCredential, StoredCredential } from '../enrolment/stored-credential.ts'
import { crossFieldFaults, describeIssue } from './faults.ts'
import { type AgentConfig, AgentFile, DEFAULT_DATA_DIR, resolveSettings } from './schema.ts'
import { containsSecret } from './secrets.ts'
import { applyEnvironment, asObject, ConfigError, expandVariables, includeCollectorFiles, readYaml } from './tree.ts'

/**
 * Reads the agent's file and environment. Relative paths count from the folder of the file; those of the environment from the working
 * directory. `${NAME}` in any text stands for an environment variable.
 * @throws ConfigError that tells all faults at once
 */
export function loadConfig(path: string, env: NodeJS.ProcessEnv): AgentConfig {
  const file = resolve(path)
  const faults: string[] = []
  const secretFiles = new Set<string>()
  const read = (one: string): unknown => {
    const content = readYaml(one)
    if (containsSecret(content)) secretFiles.add(one)
    return content
  }
  const tree = asObject(read(file), faults)
  applyEnvironment(tree, env, faults)
  const where = includeCollectorFiles(tree, dirname(file), read, faults)
  const expanded = expandVariables(tree, [], where, env, faults)
  const parsed = AgentFile.safeParse(expanded)
  const credential = openCredential(expanded, dirname(file), faults)
  if (!parsed.success) faults.push(...parsed.error.issues.flatMap((issue) => describeIssue(issue, where)))
  if (faults.length > 0 || !parsed.success) {
    const hasNoHub = credential instanceof NoCredential || hubOf(expanded)?.url === undefined
    throw new ConfigError(file, [...new Set(faults)], { hasNoHub })
  }
  const config = {
    file,
    secretFiles: [...secretFiles],
    ...resolveSettings(parsed.data, dirname(file), credential instanceof StoredCredential ? credential : null, env),
  }
  faults.push(...crossFieldFaults(config, where))
  if (faults.length > 0) throw new ConfigError(file, faults)
  return config
}

/** `hub` of the settings, as it stands there; null for what is no section. */
const hubOf = (tree: unknown): { url?: unknown; api_key?: unknown } | null => {
  const { hub } = (tree ?? {}) as { hub?: unknown }
  return typeof hub === 'object' ? hub : null
}

/** The credential of an enrolled agent, which stands in for `hub.api_key`. Also of settings with faults, to report all at once. */
function openCredential(tree: unknown, folder: string, faults: string[]): StoredCredential | CredentialError | null {
  const hub = hubOf(tree)
  if (hub === null || hub.api_key !== undefined) return null
  const { data_dir } = tree as { data_dir?: unknown }
  try {
    return StoredCredential.open(resolve(folder, typeof data_dir === 'string' ? data_dir : DEFAULT_DATA_DIR))
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error
    faults.push(error.message)
    return error
  }
}
