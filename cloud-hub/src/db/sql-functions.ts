import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A file of `migrations/functions`: one SQL function with its triggers and grants, or the policies. */
export interface FunctionFile {
  /** `functions/note_change.sql` */
  name: string
  text: string
}

/**
 * The files in the order in which they apply, which is by name. Each file can be applied repeatedly and over an earlier version.
 */
export const functionFiles = (migrationsFolder: string): FunctionFile[] =>
  globSync('functions/*.sql', { cwd: migrationsFolder })
    .map((name) => name.replaceAll(path.sep, '/'))
    .toSorted()
    .map((name) => ({ name, text: readFileSync(path.join(migrationsFolder, name), 'utf8') }))

/** The line that a migration contains to apply the files in this state: a SHA-256 checksum of all. */
export function functionsChecksumLine(files: readonly FunctionFile[]): string {
  const hash = createHash('sha256')
  for (const { name, text } of files) hash.update(`${name}\n${text}\n`)
  return `-- functions: ${hash.digest('hex')}`
}

/**
 * Whether one of these migrations names the current state of the files. An earlier state applies nothing, because a later
 * migration follows.
 * @param texts the contents of the migrations
 */
export const appliesCurrentFunctions = (texts: readonly string[], files: readonly FunctionFile[]): boolean => {
  const line = functionsChecksumLine(files)
  return texts.some((text) => text.split('\n').includes(line))
}
