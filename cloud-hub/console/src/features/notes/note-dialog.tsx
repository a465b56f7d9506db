import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { NOTE_CREATE_BODY_MAX_LENGTH } from '../../api/limits.ts'
import { groupOptions } from '../../app/machine-groups.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { instantOf, wallSeconds } from '../../i18n/wall-time.ts'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { LeaveButton } from '../../kit/dialog.tsx'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'
import type { Range } from '../readings/series.ts'
import { assigneesOf, MoreAssignees } from '../work/assignee-field.tsx'
import { useNoteDialogTexts } from './dialog-texts.ts'
import { isWithin } from './is-within.ts'

type Note = Schemas['Note']

/** Writes a note about a machine or one of the groups, or changes one. @param props `range`: what it is about, ms since 1970; `to` null: an instant */
export function NoteDialog({
  machine,
  note,
  range,
  shownRange,
  onClose,
}: {
  machine: Pick<Schemas['Machine'], 'id' | 'name'>
  /** what the page shows: a note outside of it is saved, and said not to be there */
  shownRange: Range
  onClose(): void
} & ({ note: Note; range?: undefined } | { note?: undefined; range: { from: number; to: number | null } })) {
  const t = useTranslations('notes')
  const texts = useNoteDialogTexts()
  const common = useTranslations('common')
  const { timeZone } = useFormat()
  const [isRemoving, setIsRemoving] = useState(false)
  const { data: tree } = useQuery({ ...apiQuery('/machine-groups/tree'), enabled: !note })
  const [change] = useRecordChange(note, ({ id }) => unwrap(api.GET('/notes/{note_id}', { params: { path: { note_id: id } } })))
  const wall = (at: string | number | null | undefined) => (at == null ? '' : wallSeconds(at, timeZone))
  const shown = note
    ? { begins: wall(note.starts_at), ends: wall(note.ends_at) }
    : { begins: wall(range.from), ends: wall(range.to) }
  const save = useMutation({
    mutationFn: (values: FormData) => {
      const text = (name: string) => String(values.get(name) ?? '').trim()
      const instant = (name: string) => (text(name) ? instantOf(text(name), timeZone).toISOString() : null)
      const { assignee_ids } = assigneesOf(values)
      const fields = { body: text('body'), ...(assignee_ids ? { mention_ids: assignee_ids } : {}) }
      if (!note) {
        const group = text('group_id')
        const subject = group ? { group_id: group } : { machine_id: machine.id }
        // what was marked keeps its milliseconds, and its hour where clocks are set back
        const at = (name: string, before: string, marked: number | null) =>
          marked !== null && text(name) === before ? new Date(marked).toISOString() : instant(name)
        const starts_at = at('starts_at', shown.begins, range.from) ?? new Date().toISOString()
        const ends_at = at('ends_at', shown.ends, range.to)
        return unwrap(api.POST('/notes', { body: { ...fields, ...subject, starts_at, ends_at } }))
      }
      // a time that was not changed keeps its milliseconds
      const times = {
        ...(text('starts_at') === shown.begins ? {} : { starts_at: instant('starts_at') ?? note.starts_at }),
        ...(text('ends_at') === shown.ends ? {} : { ends_at: instant('ends_at') }),
      }
      return change({ ...fields, ...times }, (body, header) =>
        unwrap(api.PATCH('/notes/{note_id}', { params: { path: { note_id: note.id }, header }, body })),
      )
    },
    onSuccess: (saved) => {
      toast('healthy', isWithin(saved, shownRange) ? common('saved') : texts.savedOutside)
      onClose()
    },
  })
  const faults = useFieldFaults(save.error)
  if (note && isRemoving)
    return (
      <ConfirmDialog
        title={texts.removeTitle}
        text={texts.removeText}
        confirm={texts.remove}
        run={() => unwrap(api.DELETE('/notes/{note_id}', { params: { path: { note_id: note.id } } }))}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={note ? texts.edit : t('add')}
      draftKey={note?.id ?? (range?.to ? `${range.from}-${range.to}` : undefined)}
      saving={save}
      submit={common('save')}
      actions={note ? <LeaveButton onPress={() => setIsRemoving(true)}>{texts.remove}</LeaveButton> : null}
      onSubmit={(form) => save.mutate(new FormData(form))}
      onClose={onClose}
    >
      <TextArea
        label={texts.text}
        name="body"
        rows={3}
        required
        maxLength={NOTE_CREATE_BODY_MAX_LENGTH}
        defaultValue={note?.body ?? ''}
        fault={faults.body}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={texts.begins}
          name="starts_at"
          type="datetime-local"
          step={1}
          required
          defaultValue={shown.begins}
          fault={faults.starts_at}
        />
        <TextField
          label={texts.ends}
          name="ends_at"
          type="datetime-local"
          step={1}
          hint={texts.endsHint}
          defaultValue={shown.ends}
          fault={faults.ends_at}
        />
      </div>
      {note ? null : (
        <SelectField label={texts.about} name="group_id" options={[['', machine.name], ...groupOptions(tree ?? [])]} />
      )}
      <MoreAssignees label={texts.mention} values={note?.mention_ids ?? []} />
    </FormDialog>
  )
}
