import type { SecretKeys } from '../../support/secrets/secret-box.ts'
import { requireSecretKey } from '../identity.ts'
import { asOwner } from '../owner.ts'
import type { Sql } from '../pools.ts'
import { type BackedFiles, type BackupStore, verifyFiles } from './files.ts'
import { explainEndedRuns, pauseExchange, RestoreRefused } from './restore.ts'

/** How the files of attachments agree with their rows. */
export interface Reconciled extends BackedFiles {
  /** keys of files without a row */
  orphans: string[]
}

const PAGE = 500
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Compares all files with their rows, by size. Files of an upload, or whose deletion is queued, are no orphans. */
export async function reconcileFiles(owner: Sql, store: BackupStore): Promise<Reconciled> {
  const orphans: string[] = []
  let page: string[] = []
  const compare = async () => {
    const rows = await owner<{ key: string }[]>`
      select key from unnest(${page}::text[]) key
      where not exists (select from attachments where storage_key = key)
        and not exists (select from attachment_uploads where storage_key = key)
        and not exists (select from attachment_deletions where storage_key = key)`
    orphans.push(...rows.map(({ key }) => key))
    page = []
  }
  for await (const key of store.keys?.() ?? []) {
    page.push(key)
    if (page.length === PAGE) await compare()
  }
  if (page.length > 0) await compare()
  return { ...(await verifyFiles(owner, store)), orphans }
}

/**
 * What a database needs that went back to an instant: the ERP exchange pauses, as after every restore, and files that were uploaded
 * later are queued for deletion. The job that deletes them keeps them as long as a base backup may need them.
 * @param options `isTrial`: the files may be those of a hub that runs, so nothing is queued @throws SecretKeyMismatch
 */
export const finishRecovery = (
  url: string,
  keys: SecretKeys,
  store: BackupStore,
  { isTrial = false }: { isTrial?: boolean } = {},
): Promise<Reconciled> =>
  asOwner(url, 'restore', async (owner) => {
    const [tables] = await owner<{ exist: boolean }[]>`select to_regclass('public.hub_identity') is not null as exist`
    if (!tables?.exist) throw new RestoreRefused('No hub had used the database at that instant.')
    await requireSecretKey(owner, keys)
    await owner.begin(pauseExchange)
    await explainEndedRuns(owner)
    await owner`delete from hub_replicas`
    const found = await reconcileFiles(owner, store)
    for (const key of isTrial ? [] : found.orphans) {
      const [tenantId = ''] = key.split('/')
      if (UUID.test(tenantId))
        await owner`insert into attachment_deletions (tenant_id, storage_key) values (${tenantId}, ${key}) on conflict do nothing`
    }
    return found
  })
