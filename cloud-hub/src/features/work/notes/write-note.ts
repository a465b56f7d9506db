import { tenantLockKey } from '../../../db/advisory-locks.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, Forbidden, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { notifyAssignees } from '../messages/index.ts'
import { checkAssignees } from '../orders/index.ts'
import { lockNote, type NoteRow, noteById } from './repository.ts'
import { MAX_DAYS, type NoteCreate, type NotePatch } from './schemas.ts'

const MAX_MS = MAX_DAYS * 86_400_000
/** Of one machine or group: what one person can write in years, and a program with a fault in a minute. */
const MAX_NOTES = 10_000

/** @throws Unprocessable unless the end, if there is one, comes after the start, and not too long after it */
function checkTimes(startsAt: Date, endsAt: Date | null): void {
  if (!endsAt) return
  if (endsAt <= startsAt) throw new Unprocessable([fieldError('body.ends_at', 'not_after', { other: 'starts_at' })])
  if (endsAt.getTime() - startsAt.getTime() > MAX_MS)
    throw new Unprocessable([
      fieldError('body.ends_at', 'max_range_days', { days: MAX_DAYS }, `must be at most ${MAX_DAYS} days after starts_at`),
    ])
}

/** Locks the notes of the tenant, so that concurrent notes cannot exceed the maximum. @throws NotFound, Unprocessable, Conflict `too_many_notes` */
async function lockSubject(sql: TransactionSql, scope: TenantScope, given: z.output<typeof NoteCreate>) {
  const { tenantId } = scope
  const { machine_id = null, group_id = null } = given
  if (machine_id && group_id) throw new Unprocessable([fieldError('body.group_id', 'exclusive', { other: 'machine_id' })])
  if (!machine_id && !group_id)
    throw new Unprocessable([fieldError('body.machine_id', 'required', {}, 'is required, or group_id instead')])
  const [found] = machine_id
    ? await sql`select 1 from machines where tenant_id = ${tenantId} and id = ${machine_id} for key share`
    : await sql`select 1 from machine_groups where tenant_id = ${tenantId} and id = ${group_id} for key share`
  if (!found) throw machine_id ? new NotFound('machine', machine_id) : new NotFound('machine group', group_id as string)
  await sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('notes', scope)}, 0))`
  const [counted] = await sql<{ n: number }[]>`
    select count(*)::int as n from (
      select from notes where tenant_id = ${tenantId} and ${machine_id ? sql`machine_id = ${machine_id}` : sql`group_id = ${group_id}`}
      limit ${MAX_NOTES}) written`
  if ((counted?.n ?? 0) >= MAX_NOTES)
    throw new Conflict('too_many_notes', `A machine or group has at most ${MAX_NOTES.toLocaleString('en')} notes.`, {
      limit: MAX_NOTES,
    })
}

/** Tells people that a note mentions them, each once; who wrote it knows. */
async function notifyMentioned(
  sql: TransactionSql,
  scope: TenantScope,
  noteId: string,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return
  const told = await sql<{ userId: string }[]>`
    select distinct user_id as "userId" from work_messages
    where tenant_id = ${scope.tenantId} and note_id = ${noteId} and user_id = any(${[...userIds]}::uuid[])`
  const known = new Set([scope.actor.id, ...told.map(({ userId }) => userId)])
  await notifyAssignees(sql, scope.tenantId, scope.clock.now(), {
    kind: 'note_mention',
    noteId,
    userIds: userIds.filter((id) => !known.has(id)),
  })
}

/** @throws NotFound for an unknown machine, group or user; Unprocessable; Conflict `too_many_notes` */
export async function createNote(scope: TenantScope, given: z.output<typeof NoteCreate>): Promise<NoteRow> {
  const { tenantId, actor } = scope
  const endsAt = given.ends_at ?? null
  checkTimes(given.starts_at, endsAt)
  const mentioned = [...new Set(given.mention_ids)]
  return scope.tx(async (sql) => {
    await lockSubject(sql, scope, given)
    await checkAssignees(sql, scope, { 'body.mention_ids': mentioned })
    const now = scope.clock.now()
    const [row] = await sql<{ id: string }[]>`
      insert into notes (tenant_id, machine_id, group_id, starts_at, ends_at, body, mention_ids, author_id, author_name, created_at, updated_at)
      select ${tenantId}, ${given.machine_id ?? null}::uuid, ${given.group_id ?? null}::uuid, ${given.starts_at}, ${endsAt}::timestamptz, ${given.body},
        ${mentioned}::uuid[], ${actor.id},
        coalesce((select full_name from users where tenant_id = ${tenantId} and id = ${actor.id}), ${actor.name}), ${now}, ${now}
      returning id`
    const { id } = row as { id: string }
    await notifyMentioned(sql, scope, id, mentioned)
    return noteById(sql, scope, id)
  })
}

/** Locks a note that the caller may change: the author or an admin. @throws NotFound, Forbidden `not_author` */
async function lockOwn(sql: TransactionSql, scope: TenantScope, noteId: string): Promise<NoteRow> {
  const row = await lockNote(sql, scope, noteId)
  if (row.authorId !== scope.actor.id && scope.actor.role !== 'admin')
    throw new Forbidden('not_author', `Only ${row.authorName}, who wrote the note, and admins change or delete it.`)
  return row
}

/** Changes the given fields, and notifies who is mentioned for the first time. @throws NotFound, Forbidden `not_author`, Unprocessable */
export const changeNote = (scope: TenantScope, noteId: string, given: z.output<typeof NotePatch>): Promise<NoteRow> =>
  scope.tx(async (sql) => {
    const row = await lockOwn(sql, scope, noteId)
    const startsAt = given.starts_at ?? row.startsAt
    const endsAt = given.ends_at === undefined ? row.endsAt : given.ends_at
    checkTimes(startsAt, endsAt)
    const mentioned = given.mention_ids ? [...new Set(given.mention_ids)] : row.mentionIds
    const added = mentioned.filter((id) => !row.mentionIds.includes(id))
    // who was mentioned and has left since stays
    await checkAssignees(sql, scope, { 'body.mention_ids': added })
    await sql`
      update notes set starts_at = ${startsAt}, ends_at = ${endsAt}, body = ${given.body ?? row.body}, mention_ids = ${mentioned}::uuid[],
        updated_at = ${scope.clock.now()}
      where tenant_id = ${scope.tenantId} and id = ${noteId}`
    await notifyMentioned(sql, scope, noteId, added)
    return noteById(sql, scope, noteId)
  })

/** @throws NotFound, Forbidden `not_author` */
export const deleteNote = (scope: TenantScope, noteId: string): Promise<void> =>
  scope.tx(async (sql) => {
    await lockOwn(sql, scope, noteId)
    await sql`delete from notes where tenant_id = ${scope.tenantId} and id = ${noteId}`
  })
