import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { CheckField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { toast } from '../../kit/toast.tsx'
import { useReasonLabel } from './reason-label.ts'
import { type DowntimeRecord, joinable, startOf, useRecordsIn } from './records.ts'

const DAY_MS = 86_400_000

/** Joins records that are one stop. */
export function MergeDialog({ record, onClose }: { record: DowntimeRecord; onClose(): void }) {
  const t = useTranslations('downtime')
  const labelOf = useReasonLabel()
  const format = useFormat()
  // those that join it from before have ended before it began
  const found = useRecordsIn({ from: new Date(startOf(record) - DAY_MS), machineIds: [record.machine_id] })
  const others = found.data ? joinable(record, found.data.records) : undefined
  const merge = useMutation({
    mutationFn: (record_ids: string[]) => {
      const params = { path: { machine_id: record.machine_id, record_id: record.id } }
      return unwrap(api.POST('/machines/{machine_id}/downtime/{record_id}/merge', { params, body: { record_ids } }))
    },
    onSuccess: () => {
      toast('healthy', t('merged'))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('mergeTitle')}
      draftKey={record.id}
      saving={merge}
      submit={others && others.length > 0 ? t('merge') : null}
      onSubmit={(form) => {
        const ids = new FormData(form).getAll('record').map(String)
        if (ids.length > 0) merge.mutate(ids)
      }}
      onClose={onClose}
    >
      <Loaded query={{ ...found, data: others }} label={t('mergeTitle')} rows={2}>
        {(others) =>
          others.length === 0 ? (
            <p>{t('noneToMerge')}</p>
          ) : (
            <>
              <p>
                {t('mergeText', {
                  reason: record.reason_code ? labelOf(record.reason_code) : t(`types.${record.reason_type}`),
                  at: format.dateTime(record.started_at),
                })}
              </p>
              {others.map((other) => (
                <CheckField
                  key={other.id}
                  name="record"
                  value={other.id}
                  defaultChecked={others.length === 1}
                  label={`${format.seconds(other.started_at)} · ${other.duration_minutes === null ? t('ongoing') : format.duration(other.duration_minutes)} · ${other.reason_code ? labelOf(other.reason_code) : t(`types.${other.reason_type}`)}`}
                />
              ))}
            </>
          )
        }
      </Loaded>
    </FormDialog>
  )
}
