import { readFileSync, statSync } from 'node:fs'

const MAX_BYTES = 65_536

/**
 * The environment without empty variables. Variables named by `<name>_FILE` are read from that file, without one trailing line
 * break.
 * @returns the values, and an error for each file that cannot be read
 */
export function readSecretFiles(
  env: Record<string, string | undefined>,
  names: readonly string[],
): { values: Record<string, string>; faults: string[] } {
  const values = Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])))
  const faults: string[] = []
  for (const name of names) {
    const file = values[`${name}_FILE`]
    if (file === undefined) continue
    if (values[name] !== undefined) faults.push(`${name}_FILE: cannot be set together with ${name}: remove one of them`)
    try {
      if (statSync(file).size > MAX_BYTES) throw Object.assign(new Error(), { code: 'longer than 64 KiB' })
      const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
      if (text === '') faults.push(`${name}_FILE: ${file} is empty`)
      else values[name] = text
    } catch (error) {
      faults.push(`${name}_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  return { values, faults }
}
