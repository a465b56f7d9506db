import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { actorSetting } from '../../../db/scope.ts'

/** The actor of an event outside a scope. */
export interface EventActor {
  /** `token`: a program as a user, by an access token. `hub`: the hub itself, without a person */
  kind: 'user' | 'token' | 'api_key' | 'enrolment_key' | 'operator' | 'anonymous' | 'hub'
  id: string
  /** of the access token with which a program acts */
  tokenId?: string
  name: string
  ip: string | null
  requestId: string | null
}

/**
 * Records an event that changes no row, such as signing in. Triggers record row changes, attributed to `app.actor`.
 * @param action such as `user.signed_in`
 * @param details its `after` in the trail
 */
export async function recordEvent(
  sql: Sql | TransactionSql,
  tenantId: string,
  actor: EventActor,
  action: string,
  target: { type: string; id: string; name: string } = { type: 'user', id: actor.id, name: actor.name },
  details: Record<string, unknown> | null = null,
): Promise<void> {
  await sql`
    select note_event(${tenantId}, ${actorSetting(actor)}::text::jsonb, ${action}, ${target.type}, ${target.id}, ${target.name},
      ${details && JSON.stringify(details)}::text::jsonb)`
}

/** Records the same event for each of several things of a type that are named by their ids, such as agents. */
export async function recordEventOfEach(
  sql: Sql | TransactionSql,
  tenantId: string,
  actor: EventActor,
  action: string,
  { type, ids }: { type: string; ids: readonly string[] },
  details: Record<string, unknown> | null = null,
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    select count(note_event(${tenantId}, ${actorSetting(actor)}::text::jsonb, ${action}, ${type}, t.id, t.id,
      ${details && JSON.stringify(details)}::text::jsonb))
    from unnest(${ids as string[]}::text[]) t(id)`
}
