import { chmodSync, type Stats, statSync } from 'node:fs'
import { shellQuote } from '../support/shell-quote.ts'

/** Keys whose value is a secret, unless it consists only of environment variable references. */
const SECRETS = new Set(['api_key', 'password'])

/** Whether a parsed YAML file contains a literal secret. */
export function containsSecret(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, item]) =>
    SECRETS.has(key) && typeof item !== 'object' ? isSecret(String(item ?? '')) : containsSecret(item),
  )
}

const isSecret = (text: string): boolean => text.replace(/\$\{[A-Za-z_]\w*\}/g, '') !== ''

/** Bits of group and others, and of these without reading by the group. Source: POSIX.1-2024, sys/stat.h */
const [OTHERS, OTHERS_BUT_GROUP_READ] = [0o077, 0o037]

/**
 * Whether other users may read or write a file. Root may let the group of the user who runs the agent read it: so the package installs
 * its settings, which the agent cannot change.
 */
export function isExposed(
  { mode, uid, gid }: Pick<Stats, 'mode' | 'uid' | 'gid'>,
  own = { uid: process.getuid?.(), gid: process.getgid?.() },
) {
  const isOfPackage = uid === 0 && own.uid !== 0 && gid === own.gid
  return (mode & (isOfPackage ? OTHERS_BUT_GROUP_READ : OTHERS)) !== 0
}

/** Warnings, each with its remedy, for files that other users of the computer may read. */
export const exposedSecretWarnings = (files: readonly string[]): string[] =>
  files.flatMap((file) => {
    const known = statOf(file)
    return known && isExposed(known) ? [warning(file, known)] : []
  })

/**
 * Removes the permissions of group and others from files that this user owns.
 * @returns warnings for the files that remain readable
 */
export function restrictSecretFiles(files: readonly string[]): string[] {
  for (const file of files) {
    const known = statOf(file)
    if (!known || !isExposed(known) || known.uid !== process.getuid?.()) continue
    try {
      chmodSync(file, 0o600)
    } catch {} // such as a read-only file system: the warning below says so
  }
  return exposedSecretWarnings(files)
}

const warning = (file: string, { mode }: Stats): string =>
  `${file} holds secrets, and other users may read it (mode ${(mode & 0o777).toString(8).padStart(4, '0')}); run: chmod 600 ${shellQuote(file)}`

/** @returns null for a file that has gone meanwhile, and on Windows, whose rights are no mode */
const statOf = (file: string): Stats | null =>
  process.platform === 'win32' ? null : (statSync(file, { throwIfNoEntry: false }) ?? null)
