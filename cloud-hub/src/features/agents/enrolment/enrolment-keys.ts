import { lockAgentCredentials, tenantLockKey } from '../../../db/advisory-locks.ts'
import { columns } from '../../../db/columns.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { enrolmentKeys } from '../../../db/tables/accounts.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { newEnrolmentKey } from '../../people/accounts/index.ts'
import { lockGroup } from '../../plant/machine-groups/index.ts'

/** Maximum of keys of a tenant that can still be used. */
const MAX_UNUSED = 1_000

export type EnrolmentKeyRow = typeof enrolmentKeys.$inferSelect

const COLUMNS = columns.enrolmentKeys

/** Creates a key. Only this result contains `key`; the database stores its hash. @throws Conflict, NotFound for an unknown group */
export async function createEnrolmentKey(
  scope: TenantScope,
  given: { name: string; agentId: string | null; groupId: string | null; expiresInHours: number },
): Promise<EnrolmentKeyRow & { key: string }> {
  const { key, prefix, keyHash } = newEnrolmentKey()
  const { tenantId, actor, clock } = scope
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + given.expiresInHours * 3_600_000)
  await scope.tx(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('enrolment_keys', scope)}, 0))`
    const [counted] = await sql<{ unused: number }[]>`
      select count(*)::int as unused from enrolment_keys
      where tenant_id = ${tenantId} and used_at is null and expires_at > ${now}`
    if ((counted?.unused ?? 0) >= MAX_UNUSED)
      throw new Conflict(
        'too_many_enrolment_keys',
        `A tenant has at most ${MAX_UNUSED} unused enrolment keys. Delete some that are no longer needed.`,
        { limit: MAX_UNUSED },
      )
    if (given.groupId) await lockGroup(sql, scope, given.groupId)
    await sql`
      insert into enrolment_keys (tenant_id, name, prefix, key_hash, agent_id, group_id, expires_at, created_by, created_at)
      values (${tenantId}, ${given.name}, ${prefix}, ${keyHash}, ${given.agentId}, ${given.groupId}, ${expiresAt}, ${actor.id}, ${now})`
  })
  const [row] = await scope.read(
    (sql) => sql<EnrolmentKeyRow[]>`
      select ${sql.unsafe(COLUMNS)} from enrolment_keys where tenant_id = ${tenantId} and prefix = ${prefix}`,
  )
  if (!row) throw new NotFound('enrolment key')
  return { ...row, key }
}

/** All keys of the tenant, newest first. */
export const listEnrolmentKeys = (scope: TenantScope): Promise<EnrolmentKeyRow[]> =>
  scope.read(
    (sql) => sql<EnrolmentKeyRow[]>`
      select ${sql.unsafe(COLUMNS)} from enrolment_keys where tenant_id = ${scope.tenantId} order by created_at desc, id desc`,
  )

/**
 * Deletes a key. A credential that an agent got for it and has not used is revoked; one in use stays.
 * @throws NotFound
 */
export const deleteEnrolmentKey = (scope: TenantScope, keyId: string): Promise<void> =>
  scope.tx(async (sql) => {
    const { tenantId } = scope
    const pending = await sql<{ agentId: string }[]>`
      select agent_id as "agentId" from api_keys
      where tenant_id = ${tenantId} and enrolment_key_id = ${keyId} and is_active and activated_at is null`
    for (const { agentId } of pending) await lockAgentCredentials(sql, tenantId, agentId)
    const deleted = await sql`delete from enrolment_keys where tenant_id = ${tenantId} and id = ${keyId} returning id`
    if (deleted.length === 0) throw new NotFound('enrolment key', keyId)
    await sql`
      update api_keys set is_active = false, revoked_at = ${scope.clock.now()}
      where tenant_id = ${tenantId} and enrolment_key_id = ${keyId} and is_active and activated_at is null`
  })

/** Whether a key can still be used, and if not, why. */
export const statusOf = ({ usedAt, expiresAt }: EnrolmentKeyRow, now: Date): 'unused' | 'used' | 'expired' =>
  usedAt ? 'used' : expiresAt <= now ? 'expired' : 'unused'
