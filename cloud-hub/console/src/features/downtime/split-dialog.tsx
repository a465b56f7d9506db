import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../api/client.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { instantOf, wallSeconds } from '../../i18n/wall-time.ts'
import { TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { toast } from '../../kit/toast.tsx'
import { ReasonFields, reasonOf } from './reason-fields.tsx'
import { type DowntimeRecord, endOf, startOf } from './records.ts'

/** Gives one stop two reasons. */
export function SplitDialog({ record, onClose }: { record: DowntimeRecord; onClose(): void }) {
  const t = useTranslations('downtime')
  const format = useFormat()
  const middle = (startOf(record) + endOf(record)) / 2
  const split = useMutation({
    mutationFn: (values: FormData) => {
      const params = { path: { machine_id: record.machine_id, record_id: record.id } }
      const at = instantOf(String(values.get('at')), format.timeZone).toISOString()
      return unwrap(api.POST('/machines/{machine_id}/downtime/{record_id}/split', { params, body: { at, ...reasonOf(values) } }))
    },
    onSuccess: () => {
      toast('healthy', t('wasSplit'))
      onClose()
    },
  })
  const fields = useFieldFaults(split.error)
  return (
    <FormDialog
      title={t('splitTitle')}
      draftKey={record.id}
      saving={split}
      submit={t('split')}
      onSubmit={(form) => split.mutate(new FormData(form))}
      onClose={onClose}
    >
      <p>
        {t('span', {
          from: format.seconds(record.started_at),
          to: record.ended_at ? format.seconds(record.ended_at) : t('ongoing'),
        })}
      </p>
      <TextField
        label={t('splitAt')}
        name="at"
        type="datetime-local"
        step={1}
        required
        defaultValue={wallSeconds(middle, format.timeZone)}
        fault={fields.at}
      />
      <fieldset className="flex flex-col gap-4 rounded-lg border border-line p-4">
        <legend className="px-1 font-semibold">{t('secondPart')}</legend>
        <ReasonFields reason={record} />
      </fieldset>
    </FormDialog>
  )
}
