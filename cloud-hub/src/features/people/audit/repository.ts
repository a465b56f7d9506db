import type { z } from 'zod'
import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { auditLog } from '../../../db/tables/audit.ts'
import type { ListPart } from '../../../support/http/cursor.ts'
import { REFUSED } from './refusals.ts'
import type { AuditQuery } from './schemas.ts'

export type EntryRow = typeof auditLog.$inferSelect

const COLUMNS = columns.auditLog

/** A part of the entries, newest first (exactly in the order of an index), and the number of all matches where the part does not know it. */
export async function listEntries(
  sql: TransactionSql,
  scope: TenantScope,
  query: z.output<typeof AuditQuery>,
  { limit, offset, after, total }: ListPart,
) {
  const { actor_id, action, kind, target_type, target_id, start, end } = query
  const where = sql`tenant_id = ${scope.tenantId}
    ${actor_id === undefined ? sql`` : sql`and actor_id = ${actor_id}`}
    ${action === undefined ? sql`` : action.endsWith('.') ? sql`and starts_with(action, ${action})` : sql`and action = ${action}`}
    ${kind === 'security' ? securityEvents(sql) : action === undefined ? sql`and action <> ${REFUSED}` : sql``}
    ${target_type === undefined ? sql`` : sql`and target_type = ${target_type}`}
    ${target_id === undefined ? sql`` : sql`and target_id = ${target_id}`}
    ${start === undefined ? sql`` : sql`and at >= ${start}`}
    ${end === undefined ? sql`` : sql`and at <= ${end}`}`
  const [items, counted] = await Promise.all([
    sql<EntryRow[]>`
      select ${sql.unsafe(COLUMNS)}
      from audit_log where ${where} ${after ? sql`and (at, id) < (${after.at}, ${after.id})` : sql``}
      order by at desc nulls last, id desc nulls last limit ${limit} offset ${offset}`,
    total === null ? sql<{ total: number }[]>`select count(*)::int as total from audit_log where ${where}` : [{ total }],
  ])
  return { items, total: counted[0]?.total ?? 0 }
}

/** Everything of these kinds is a security event. */
const SECURITY_KINDS = ['role.', 'api_key.', 'enrolment_key.', 'access_token.', 'sso_config.', 'calendar_token.']
/** Events that change no row, and users that come and go. */
const SECURITY_ACTIONS = [
  REFUSED,
  'user.registered',
  'user.signed_in',
  'user.sign_in_failed',
  'user.signed_out',
  'user.other_sessions_ended',
  'user.created',
  'user.deleted',
  'agent.enrolled',
  'agent.released',
]
/** Changes of these columns are security events, and those of others are not. */
const SECURITY_COLUMNS = ['password_hash', 'mfa_enabled', 'role', 'is_active', 'email', 'require_mfa']

const securityEvents = (sql: TransactionSql) => sql`
  and (action = any(${SECURITY_ACTIONS}) or action ^@ any(${SECURITY_KINDS})
    or (action in ('user.updated', 'tenant.updated') and after ?| ${SECURITY_COLUMNS}))`
