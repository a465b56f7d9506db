import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A file of `migrations/functions`: one SQL function with its triggers and grants, or the policies. */
export interface FunctionFile {
  /** `functions/note_change.sql` */
  name: string
  text: string
}

/** By name, which is the order in which they apply. Each can be applied over itself and over an earlier version. */
export const functionFiles = (migrationsFolder: string): FunctionFile[] =>
  globSync('functions/*.sql', { cwd: migrationsFolder })
    .map((name) => name.replaceAll(path.sep, '/'))
    .toSorted()
    .map((name) => ({ name, text: readFileSync(path.join(migrationsFolder, name), 'utf8') }))

/** The line by which a migration names the state of the files that it applies: a SHA-256 checksum of all. */
export function functionsChecksumLine(files: readonly FunctionFile[]): string {
  const hash = createHash('sha256')
  for (const { name, text } of files) hash.update(`${name}\n${text}\n`)
  return `-- functions: ${hash.digest('hex')}`
}

/**
 * Whether one of these migrations names the present state of the files. One that names an earlier state applies nothing: a later one follows it.
 * @param texts what the migrations contain
 */
export const namesCurrentFunctions = (texts: readonly string[], files: readonly FunctionFile[]): boolean => {
  const line = functionsChecksumLine(files)
  return texts.some((text) => text.split('\n').includes(line))
}
