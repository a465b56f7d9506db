import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, unwrap } from '../../api/client.ts'
import { MAINTENANCE_EVENT_CREATE_DESCRIPTION_MAX_LENGTH, MAINTENANCE_EVENT_CREATE_TITLE_MAX_LENGTH } from '../../api/limits.ts'
import { MachineField } from '../../app/machine-field.tsx'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { instantOf, wallTime } from '../../i18n/wall-time.ts'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { Notice } from '../../kit/notice.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'
import { AssigneeField } from '../work/assignee-field.tsx'
import { type MaintenanceEvent, RECURRENCES } from './events.ts'
import { Overlaps } from './overlaps.tsx'

const USUAL_MS = 2 * 3_600_000

/** Plans maintenance, or changes what is planned. */
export function EventDialog({
  event,
  startsAt,
  machineId,
  alertId,
  onClose,
}: {
  machineId?: string | undefined
  /** the alert that the maintenance is for */
  alertId?: string
  onClose(): void
} & ({ event: MaintenanceEvent; startsAt?: undefined } | { event?: undefined; startsAt: string })) {
  const t = useTranslations()
  const { timeZone } = useFormat()
  const { data: checklists } = useQuery(apiQuery('/checklists'))
  const [machine, setMachine] = useState(event?.machine_id ?? machineId ?? '')
  const [start, setStart] = useState(event ? wallTime(event.scheduled_start, timeZone) : startsAt)
  const [end, setEnd] = useState(
    event ? wallTime(event.scheduled_end, timeZone) : wallTime(instantOf(startsAt, timeZone).getTime() + USUAL_MS, timeZone),
  )
  const times = start && end ? { from: instantOf(start, timeZone), to: instantOf(end, timeZone) } : null
  const isOrdered = times !== null && times.from < times.to
  // the end keeps its distance
  const begin = (next: string) => {
    if (next && times) setEnd(wallTime(instantOf(next, timeZone).getTime() + times.to.getTime() - times.from.getTime(), timeZone))
    setStart(next)
  }
  const [change] = useRecordChange(event, ({ id }) =>
    unwrap(api.GET('/maintenance/{event_id}', { params: { path: { event_id: id } } })),
  )
  const save = useMutation({
    mutationFn: (values: FormData) => {
      const text = (name: string) => String(values.get(name) ?? '').trim()
      const body = {
        title: text('title'),
        description: text('description') || null,
        scheduled_start: times?.from.toISOString() ?? '',
        scheduled_end: times?.to.toISOString() ?? '',
        assigned_to: text('assigned_to') || null,
        // the field is absent until the lists are loaded
        ...(values.has('checklist_id') ? { checklist_id: text('checklist_id') || null } : {}),
      }
      if (event)
        return change(body, (body, header) =>
          unwrap(api.PUT('/maintenance/{event_id}', { params: { path: { event_id: event.id }, header }, body })),
        )
      const recurrence_rule = (text('recurrence_rule') || null) as (typeof RECURRENCES)[number] | null
      return unwrap(
        api.POST('/maintenance', { body: { ...body, machine_id: machine, recurrence_rule, linked_alert_id: alertId ?? null } }),
      )
    },
    onSuccess: () => {
      toast('healthy', t(event ? 'common.saved' : 'maintenance.planned'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  const optional = (label: string) => `${label} (${t('common.optional')})`
  return (
    <FormDialog
      title={t(event ? 'maintenance.edit' : 'maintenance.plan')}
      draftKey={event?.id}
      saving={save}
      submit={t(event ? 'common.save' : 'maintenance.plan')}
      onSubmit={(form) => {
        if (isOrdered) save.mutate(new FormData(form))
      }}
      onClose={onClose}
    >
      {event?.recurrence_rule ? <Notice tone="info">{t('maintenance.changesSeries')}</Notice> : null}
      <TextField
        label={t('maintenance.what')}
        name="title"
        required
        maxLength={MAINTENANCE_EVENT_CREATE_TITLE_MAX_LENGTH}
        defaultValue={event?.title}
        fault={fields.title}
      />
      {event || alertId ? null : <MachineField label={t('maintenance.machine')} value={machine} onChange={setMachine} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('maintenance.begins')}
          type="datetime-local"
          required
          value={start}
          onChange={({ target }) => begin(target.value)}
          fault={fields.scheduled_start}
        />
        <TextField
          label={t('maintenance.ends')}
          type="datetime-local"
          required
          value={end}
          onChange={({ target }) => setEnd(target.value)}
          fault={times && !isOrdered ? t('maintenance.endBeforeStart') : fields.scheduled_end}
        />
      </div>
      {machine && times && isOrdered ? <Overlaps machineId={machine} times={times} exceptId={event?.id} /> : null}
      {event ? null : (
        <SelectField
          label={t('maintenance.repeats')}
          name="recurrence_rule"
          hint={t('maintenance.repeatsHint')}
          options={[['', t('maintenance.never')], ...RECURRENCES.map((it) => [it, t(`maintenance.rules.${it}`)] as const)]}
        />
      )}
      <AssigneeField label={optional(t('work.assignee'))} name="assigned_to" value={event?.assigned_to ?? null} />
      {checklists && checklists.length > 0 ? (
        <SelectField
          label={optional(t('maintenance.checklist'))}
          name="checklist_id"
          defaultValue={event?.checklist_id ?? ''}
          options={[['', t('common.none')], ...checklists.map(({ id, name }) => [id, name] as const)]}
        />
      ) : null}
      <TextArea
        label={optional(t('work.description'))}
        name="description"
        maxLength={MAINTENANCE_EVENT_CREATE_DESCRIPTION_MAX_LENGTH}
        defaultValue={event?.description ?? ''}
        fault={fields.description}
      />
    </FormDialog>
  )
}
