import type { Reconciled } from '../db/backup/index.ts'

const MAX_NAMED = 10
const named = (keys: string[]) =>
  keys.slice(0, MAX_NAMED).join(', ') + (keys.length > MAX_NAMED ? ` and ${keys.length - MAX_NAMED} more` : '')

/** Prints how the files of attachments agree with their rows. */
export function describeReconciled({ count, faulty, orphans }: Reconciled): void {
  console.log(
    faulty.length === 0
      ? `${count} files of attachments are all there.`
      : `${faulty.length} of ${count} files of attachments are missing or damaged: ${named(faulty)}`,
  )
  if (orphans.length > 0) console.log(`${orphans.length} files belong to no attachment: ${named(orphans)}`)
  if (faulty.length > 0) process.exitCode = 1
}
