import { dirname, resolve } from 'node:path'
import { crossFieldFaults, describeIssue } from './config-faults.ts'
import { type AgentConfig, AgentFile, resolveSettings } from './config-schema.ts'
import { containsSecret } from './config-secrets.ts'
import { applyEnvironment, asObject, ConfigError, expandVariables, includeCollectorFiles, readYaml } from './config-tree.ts'
import { CredentialError } from './enrolment/stored-credential.ts'

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
  const parsed = AgentFile.safeParse(expandVariables(tree, [], where, env, faults))
  if (!parsed.success) faults.push(...parsed.error.issues.flatMap((issue) => describeIssue(issue, where)))
  if (faults.length > 0 || !parsed.success) throw new ConfigError(file, [...new Set(faults)])
  const config = {
    file,
    secretFiles: [...secretFiles],
    ...withCredential(file, () => resolveSettings(parsed.data, dirname(file))),
  }
  faults.push(...crossFieldFaults(config, where))
  if (faults.length > 0) throw new ConfigError(file, faults)
  return config
}

/** @throws ConfigError with the fault of the credential */
function withCredential<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof CredentialError) throw new ConfigError(file, [error.message])
    throw error
  }
}
