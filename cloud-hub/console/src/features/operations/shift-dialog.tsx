import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { SHIFT_DEFINITION_CREATE_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { useSite, useSites } from '../../app/site.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { toast } from '../../kit/toast.tsx'

const DAY_MINUTES = 24 * 60
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/** Defines a shift, or changes one: new times hold for shifts that begin from then on. */
export function ShiftDialog({ definition, onClose }: { definition?: Schemas['ShiftDefinition']; onClose(): void }) {
  const t = useTranslations('shifts')
  const common = useTranslations('common')
  const format = useFormat()
  const nav = useTranslations('nav')
  const { data: sites = [] } = useSites()
  const site = useSite()
  const [start, setStart] = useState(definition?.start_time.slice(0, 5) ?? '06:00')
  const [end, setEnd] = useState(definition?.end_time.slice(0, 5) ?? '14:00')
  const length = (minutesOf(end) - minutesOf(start) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES
  const save = useMutation({
    mutationFn: (text: (name: string) => string) => {
      const body = {
        ...{ name: text('name'), color: text('color'), start_time: start, end_time: end },
        ...(sites.length > 0 && { group_id: text('group_id') || null }),
      }
      if (!definition) return unwrap(api.POST('/shifts/definitions', { body: { ...body, sort_order: minutesOf(start) } }))
      const params = { path: { definition_id: definition.id } }
      return unwrap(api.PUT('/shifts/definitions/{definition_id}', { params, body }))
    },
    onSuccess: () => {
      toast('healthy', common('saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t(definition ? 'editShift' : 'define')}
      draftKey={definition?.id}
      saving={save}
      submit={definition ? common('save') : t('define')}
      onSubmit={(form) => save.mutate(formText(form))}
      onClose={onClose}
    >
      <TextField
        label={t('name')}
        name="name"
        required
        maxLength={SHIFT_DEFINITION_CREATE_NAME_MAX_LENGTH}
        defaultValue={definition?.name}
        fault={fields.name}
      />
      {sites.length > 0 ? (
        <SelectField
          label={nav('site')}
          name="group_id"
          defaultValue={definition ? (definition.group_id ?? '') : (site ?? '')}
          options={[['', nav('allSites')], ...sites.map(({ id, name }) => [id, name] as const)]}
          fault={fields.group_id}
        />
      ) : null}
      <div className="grid grid-cols-2 gap-4">
        <TextField
          label={t('begins')}
          type="time"
          required
          value={start}
          onChange={({ target }) => setStart(target.value)}
          fault={fields.start_time}
        />
        <TextField
          label={t('ends')}
          type="time"
          required
          value={end}
          onChange={({ target }) => setEnd(target.value)}
          fault={fields.end_time}
        />
      </div>
      {start && end ? (
        <p className="text-sm text-soft">
          {t(minutesOf(end) <= minutesOf(start) ? 'lengthOvernight' : 'lengthSameDay', { length: format.duration(length) })}
        </p>
      ) : null}
      <TextField
        label={t('color')}
        name="color"
        type="color"
        defaultValue={definition?.color ?? '#2563eb'}
        className="max-w-40"
      />
    </FormDialog>
  )
}
