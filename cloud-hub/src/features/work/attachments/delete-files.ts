import { lockFileDeletion } from '../../../db/advisory-locks.ts'
import type { Sql } from '../../../db/pools.ts'
import type { Logger } from '../../../support/logger.ts'
import type { AttachmentStore } from './storage/store.ts'

const BATCH = 100
/** The next run does the rest. */
const MAX_ROUNDS = 50
/** A file that is kept for restores is looked at again after this time. */
const KEPT_MS = 600_000
/** A claimed file that a killed worker did not delete is due again after this time. */
const LEASE_MS = 300_000
const MAX_BACKOFF_MS = 3_600_000

interface DueFile {
  tenantId: string
  storageKey: string
  attempts: number
  isKept: boolean
}

/**
 * Deletes the files of deleted attachments, and of uploads that ended without an attachment, after the commit that made them
 * useless. A file that cannot be deleted now is tried again later. While a backup runs, no file is deleted.
 * @param options `keptSince`: files whose rows were deleted since then stay, because a restore to an earlier instant brings the rows back
 */
export async function deleteFiles(
  { allTenants, store, logger, keptSince }: { allTenants: Sql; store: AttachmentStore; logger: Logger; keptSince: Date | null },
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS && !signal.aborted; round++) {
    const due = await claim(allTenants, now, keptSince)
    for (const one of due) {
      if (signal.aborted) return
      if (!one.isKept) await deleteFile(allTenants, store, logger, one, now)
    }
    if (due.length < BATCH) return
  }
}

/** Files that are due. Those that are kept are postponed, the others leased. */
const claim = (allTenants: Sql, now: Date, keptSince: Date | null): Promise<DueFile[]> =>
  allTenants.begin(async (sql) => {
    if (!(await lockFileDeletion(sql))) return []
    await sql`
      with expired as (
        delete from attachment_uploads where ctid = any(array(
          select u.ctid from attachment_uploads u where u.expires_at <= ${now} order by u.expires_at limit ${BATCH} for update skip locked))
        returning tenant_id, storage_key)
      insert into attachment_deletions (tenant_id, storage_key, due_at, created_at)
      select tenant_id, storage_key, ${now}, ${now} from expired on conflict do nothing`
    const rows = await sql<DueFile[]>`
      update attachment_deletions d
      set attempts = attempts + case when is_kept then 0 else 1 end,
        due_at = case when is_kept then ${new Date(now.getTime() + KEPT_MS)}::timestamptz else ${new Date(now.getTime() + LEASE_MS)} end
      from (
        select tenant_id, storage_key, coalesce(created_at >= ${keptSince}::timestamptz, false) as is_kept from attachment_deletions
        where due_at <= greatest(${now}, now()) order by due_at limit ${BATCH} for update skip locked
      ) due
      where d.tenant_id = due.tenant_id and d.storage_key = due.storage_key
      returning d.tenant_id as "tenantId", d.storage_key as "storageKey", d.attempts, is_kept as "isKept"`
    return [...rows]
  }) as Promise<DueFile[]>

async function deleteFile(
  allTenants: Sql,
  store: AttachmentStore,
  logger: Logger,
  { tenantId, storageKey, attempts }: DueFile,
  now: Date,
): Promise<void> {
  const one = allTenants`tenant_id = ${tenantId} and storage_key = ${storageKey}`
  try {
    await store.remove(storageKey)
    await allTenants`delete from attachment_deletions where ${one}`
  } catch (error) {
    const cause = String((error as Error).cause ?? error)
    const dueAt = new Date(now.getTime() + Math.min(MAX_BACKOFF_MS, 10_000 * 2 ** Math.min(attempts, 16)))
    logger.warn({ key: storageKey, cause }, 'the file of a deleted attachment could not be deleted; it is tried again')
    await allTenants`update attachment_deletions set error = ${cause.slice(0, 500)}, due_at = ${dueAt} where ${one}`
  }
}
