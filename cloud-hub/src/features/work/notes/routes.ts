import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { findNote, listNotes, lockNote, type NoteRow } from './repository.ts'
import { NoteBody, NoteCreate, NotePage, NoteParams, NotePatch, NoteQuery } from './schemas.ts'
import { changeNote, createNote, deleteNote } from './write-note.ts'

const route = routeFor<TenantScope>()
const tag = 'Notes'

const withVersion = versionedBy(NotePatch)
/** As the API shows it. */
export const presentNote = (row: NoteRow) =>
  withVersion({
    id: row.id,
    machine_id: row.machineId,
    group_id: row.groupId,
    subject_name: row.subjectName,
    starts_at: row.startsAt.toISOString(),
    ends_at: row.endsAt?.toISOString() ?? null,
    body: row.body,
    mention_ids: row.mentionIds,
    author_id: row.authorId,
    author_name: row.authorName,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  })

export const noteRoutes = () => [
  route(
    {
      method: 'get',
      path: '/notes',
      operation: 'listNotes',
      access: 'any',
      tag,
      summary: 'Notes about machines and groups, the latest first',
      description:
        'Pages of notes by the instant that they are about, or where their range begins. `from` and `to` ask for those that touch a range. A filter by an unknown id answers an empty list.',
      query: NoteQuery,
      returns: NotePage,
    },
    async ({ scope, query }) => {
      const { items, total } = await listNotes(scope, query)
      return { items: items.map(presentNote), pagination: { total, page: query.page, page_size: query.page_size } }
    },
  ),
  route(
    {
      method: 'post',
      path: '/notes',
      operation: 'createNote',
      access: 'operator',
      tag,
      summary: 'Note what happened at an instant or in a range',
      description:
        'About a machine, or about a group such as a site: it then appears at all its machines. Charts mark it, and the handover of the shift lists it. A machine or group has at most 10,000 notes.',
      body: NoteCreate,
      returns: NoteBody,
      creates: true,
      refuses: { 404: ['machine_not_found', 'machine_group_not_found', 'user_not_found'], 409: ['too_many_notes'] },
    },
    async ({ scope, body }) => presentNote(await createNote(scope, body)),
  ),
  route(
    {
      method: 'get',
      path: '/notes/{note_id}',
      operation: 'getNote',
      access: 'any',
      tag,
      summary: 'One note',
      description: 'The note as it is now.',
      params: NoteParams,
      returns: NoteBody,
    },
    async ({ found }) => presentNote(found),
    findNote,
  ),
  route(
    {
      method: 'patch',
      path: '/notes/{note_id}',
      operation: 'updateNote',
      access: 'operator',
      tag,
      summary: 'Change a note; what is not named stays',
      description: 'By its author, or by an admin. What the note is about stays: write another one for another machine.',
      params: NoteParams,
      body: NotePatch,
      changes: {
        lock: (sql, scope, { note_id }) => lockNote(sql, scope, note_id),
        current: async (scope, params) => presentNote(await findNote(scope, params)),
      },
      returns: NoteBody,
      refuses: { 403: ['not_author'], 404: ['user_not_found'] },
    },
    async ({ scope, params, body }) => presentNote(await changeNote(scope, params.note_id, body)),
    findNote,
  ),
  route(
    {
      method: 'delete',
      path: '/notes/{note_id}',
      operation: 'deleteNote',
      access: 'operator',
      tag,
      summary: 'Delete a note',
      description: 'By its author, or by an admin. The audit log keeps what it said.',
      params: NoteParams,
      returns: null,
      refuses: { 403: ['not_author'] },
    },
    async ({ scope, params }) => {
      await deleteNote(scope, params.note_id)
      return undefined
    },
    findNote,
  ),
]
