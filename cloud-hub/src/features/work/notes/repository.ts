import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { qualified } from '../../../db/sql.ts'
import type { notes } from '../../../db/tables/notes.ts'
import { fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { groupsBelow, groupsOfMachine, machinesOfGroup } from '../../plant/machine-groups/index.ts'
import { MAX_DAYS, type NoteQuery } from './schemas.ts'

export type NoteRow = typeof notes.$inferSelect & { subjectName: string }

/** The columns of a {@link NoteRow} of the table `notes n`. */
export const NOTE_COLUMNS = `${qualified(columns.notes, 'n')}, coalesce(
  (select m.name from machines m where m.tenant_id = n.tenant_id and m.id = n.machine_id),
  (select g.name from machine_groups g where g.tenant_id = n.tenant_id and g.id = n.group_id)) as "subjectName"`

/** @throws NotFound */
export async function noteById(sql: TransactionSql, scope: TenantScope, noteId: string): Promise<NoteRow> {
  const [row] = await sql<NoteRow[]>`
    select ${sql.unsafe(NOTE_COLUMNS)} from notes n where n.tenant_id = ${scope.tenantId} and n.id = ${noteId}`
  if (!row) throw new NotFound('note', noteId)
  return row
}

/** @throws NotFound */
export const findNote = (scope: TenantScope, { note_id }: { note_id: string }): Promise<NoteRow> =>
  scope.read((sql) => noteById(sql, scope, note_id))

/** Locks a note for a change. @throws NotFound */
export async function lockNote(sql: TransactionSql, scope: TenantScope, noteId: string): Promise<NoteRow> {
  const [row] = await sql<NoteRow[]>`
    select ${sql.unsafe(NOTE_COLUMNS)} from notes n where n.tenant_id = ${scope.tenantId} and n.id = ${noteId} for update of n`
  if (!row) throw new NotFound('note', noteId)
  return row
}

/**
 * A condition: that a note of the table `notes n` is about a machine, or about a group that contains it. An access token for some groups
 * sees no notes about groups. Arrays, because PostgreSQL then combines the indexes of both columns.
 */
const concernsMachine = (sql: TransactionSql, { tenantId, actor }: TenantScope, machineId: string) =>
  actor.isConfined
    ? sql`n.machine_id = ${machineId}`
    : sql`(n.machine_id = ${machineId} or n.group_id = any(array(${groupsOfMachine(sql, tenantId, machineId)})))`

/** A condition: that a note touches a range; `until` is exclusive. Its length is limited, so an index narrows the starts at both ends. */
const touches = (sql: TransactionSql, from: Date | undefined, until: Date | undefined) => sql`
  ${until ? sql`and n.starts_at < ${until}` : sql``}
  ${from ? sql`and n.starts_at >= ${new Date(from.getTime() - MAX_DAYS * 86_400_000)} and (n.starts_at >= ${from} or n.ends_at > ${from})` : sql``}`

/** A condition: that a note of the table `notes n` is about a group, one below it, or one of their machines. */
export const isAboutGroup = (sql: TransactionSql, tenantId: string, groupId: string) => sql`
  (n.group_id = any(array(${groupsBelow(sql, tenantId, groupId)}))
    or n.machine_id = any(array(${machinesOfGroup(sql, tenantId, groupId)})))`

/** A page of notes, the latest start first. @throws Unprocessable for an empty range */
export async function listNotes(
  scope: TenantScope,
  query: z.output<typeof NoteQuery>,
): Promise<{ items: NoteRow[]; total: number }> {
  const { machine_id, group_id, with_groups, from, to, page, page_size } = query
  if (from && to && to <= from) throw new Unprocessable([fieldError('query.to', 'not_after', { other: 'from' })])
  const { tenantId } = scope
  return scope.read(async (sql) => {
    const ofMachine = machine_id
      ? with_groups
        ? sql`and ${concernsMachine(sql, scope, machine_id)}`
        : sql`and n.machine_id = ${machine_id}`
      : sql``
    const matching = sql`n.tenant_id = ${tenantId} ${ofMachine}
      ${group_id ? sql`and ${isAboutGroup(sql, tenantId, group_id)}` : sql``} ${touches(sql, from, to)}`
    const [items, [counted]] = await Promise.all([
      sql<NoteRow[]>`
        select ${sql.unsafe(NOTE_COLUMNS)} from notes n where ${matching}
        order by n.starts_at desc nulls last, n.id desc nulls last limit ${page_size} offset ${(page - 1) * page_size}`,
      sql<{ n: number }[]>`select count(*)::int as n from notes n where ${matching}`,
    ])
    return { items: [...items], total: counted?.n ?? 0 }
  })
}

/** Whether others than a user have written notes about a group. */
export async function hasNotesOfOthers(sql: TransactionSql, tenantId: string, groupId: string, userId: string): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`
    select exists (select from notes where tenant_id = ${tenantId} and group_id = ${groupId} and author_id is distinct from ${userId}) as has`
  return row?.has ?? false
}

/** The latest notes that concern a machine in a range, by their start. @param until exclusive */
export const notesOfMachine = (
  sql: TransactionSql,
  scope: TenantScope,
  { machineId, from, until, limit }: { machineId: string; from: Date; until: Date; limit: number },
) => sql<NoteRow[]>`
  select ${sql.unsafe(NOTE_COLUMNS)} from notes n
  where n.tenant_id = ${scope.tenantId} and ${concernsMachine(sql, scope, machineId)} ${touches(sql, from, until)}
  order by n.starts_at desc nulls last, n.id desc nulls last limit ${limit}`
