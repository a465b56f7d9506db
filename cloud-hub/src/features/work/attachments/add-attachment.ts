import { randomUUID } from 'node:crypto'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import type { SpooledFile } from '../../../support/http/spool.ts'
import { lockPlaces } from '../../people/limits/index.ts'
import { lockUnsigned } from '../orders/index.ts'
import { detectContentType } from './content-type.ts'
import { type AttachmentRow, COLUMNS, type Owner, ownedBy } from './repository.ts'
import type { AttachmentStore } from './storage/store.ts'

/** Maximum of attachments of an owner, because one response lists all of them. */
const MAX_ATTACHMENTS = 200
/** Longer than the storage of a file can last. */
const RESERVED_MS = 3_600_000

export interface Quota {
  /** of all attachments of a tenant together, unless the operator has set another limit for it; 0: no limit */
  tenantBytes: number
}

/**
 * Locks the owner of an attachment for a change of its attachments.
 * @throws NotFound; Conflict for a signed work order, or one with the maximum of attachments
 */
export async function lockOwner(sql: TransactionSql, scope: TenantScope, owner: Owner): Promise<void> {
  if (owner.kind === 'work_order') await lockUnsigned(sql, scope, owner.id)
  else {
    const [event] = await sql`
      select 1 from maintenance_events where tenant_id = ${scope.tenantId} and id = ${owner.id} for no key update`
    if (!event) throw new NotFound('maintenance event', owner.id)
  }
}

async function checkCount(sql: TransactionSql, scope: TenantScope, owner: Owner): Promise<void> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from attachments where tenant_id = ${scope.tenantId} and ${ownedBy(sql, owner)}`
  if ((row?.n ?? 0) >= MAX_ATTACHMENTS)
    throw new Conflict('too_many_attachments', `A work order or maintenance event has at most ${MAX_ATTACHMENTS} attachments.`, {
      limit: MAX_ATTACHMENTS,
    })
}

/** Checks, before a file is received, that it could be attached. @throws NotFound, Conflict */
export const checkOwner = (scope: TenantScope, owner: Owner): Promise<void> =>
  scope.tx(async (sql) => {
    await lockOwner(sql, scope, owner)
    await checkCount(sql, scope, owner)
  })

/**
 * Stores a received file, then inserts its row. The upload is noted before the file is stored, so a file whose row is never
 * inserted is deleted.
 * @throws NotFound, Conflict when the quota is used up or the owner was signed or deleted meanwhile; StorageAway
 */
export async function addAttachment(
  scope: TenantScope,
  { store, quota }: { store: AttachmentStore; quota: Quota },
  owner: Owner,
  file: SpooledFile,
): Promise<AttachmentRow> {
  const key = `${scope.tenantId}/${randomUUID()}`
  const contentType = await detectContentType(file)
  await reserve(scope, quota, key, file.size)
  try {
    await store.put(key, file)
    return await scope.tx((sql) => insert(sql, scope, owner, { ...file, key, contentType }))
  } catch (error) {
    await expire(scope, key).catch(() => {}) // It expires by itself.
    throw error
  }
}

const reserve = (scope: TenantScope, { tenantBytes }: Quota, key: string, size: number): Promise<void> =>
  scope.tx(async (sql) => {
    const { free, limit } = await lockPlaces(sql, scope, 'attachment_bytes', tenantBytes || null)
    if (limit !== null && size > free)
      throw new Conflict(
        'attachment_quota',
        `The attachments of your tenant may have ${limit} bytes; ${free} are left, and the file has ${size}.`,
        { bytes: limit },
      )
    const expiresAt = new Date(scope.clock.now().getTime() + RESERVED_MS)
    await sql`insert into attachment_uploads (tenant_id, storage_key, size_bytes, expires_at)
      values (${scope.tenantId}, ${key}, ${size}, ${expiresAt})`
  })

async function insert(
  sql: TransactionSql,
  scope: TenantScope,
  owner: Owner,
  { key, name, contentType, size, sha256 }: SpooledFile & { key: string; contentType: string },
): Promise<AttachmentRow> {
  await lockOwner(sql, scope, owner)
  await checkCount(sql, scope, owner)
  const reserved = await sql`
    delete from attachment_uploads where tenant_id = ${scope.tenantId} and storage_key = ${key} returning 1`
  if (reserved.length === 0) throw new Error('the upload expired before its file was stored')
  const now = scope.clock.now()
  const values = {
    tenant_id: scope.tenantId,
    work_order_id: owner.kind === 'work_order' ? owner.id : null,
    maintenance_event_id: owner.kind === 'maintenance_event' ? owner.id : null,
    uploaded_by: scope.actor.id,
    filename: name,
    content_type: contentType,
    size_bytes: size,
    sha256,
    storage_key: key,
    created_at: now,
    updated_at: now,
  }
  const [row] = await sql<AttachmentRow[]>`insert into attachments ${sql(values)} returning ${sql.unsafe(COLUMNS)}`
  return row as AttachmentRow
}

/** The worker deletes the file with its next run. */
const expire = (scope: TenantScope, key: string): Promise<void> =>
  scope.tx(async (sql) => {
    await sql`update attachment_uploads set expires_at = ${scope.clock.now()}
      where tenant_id = ${scope.tenantId} and storage_key = ${key}`
  })
