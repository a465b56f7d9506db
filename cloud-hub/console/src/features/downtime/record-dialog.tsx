import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, getJson, unwrap } from '../../api/client.ts'
import { MachineField } from '../../app/machine-field.tsx'
import { useFaultText, useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { instantOf, wallSeconds } from '../../i18n/wall-time.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions, LeaveButton } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { Notice } from '../../kit/notice.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { ReasonFields, reasonOf } from './reason-fields.tsx'
import type { DowntimeRecord } from './records.ts'
import { SplitDialog } from './split-dialog.tsx'

/** Enters downtime by hand, or corrects, classifies, ends, splits and joins a record. */
export function RecordDialog({
  record,
  machineId,
  onClose,
}: {
  record?: DowntimeRecord
  machineId?: string | undefined
  onClose(): void
}) {
  const t = useTranslations('downtime')
  const common = useTranslations('common')
  const { timeZone } = useFormat()
  const faultText = useFaultText()
  const [chosen, setChosen] = useState(machineId ?? '')
  const [step, setStep] = useState<'edit' | 'split' | 'merge'>('edit')
  const wasEnded = record !== undefined && record.ended_at !== null
  // as it was when the dialog opened: the page reads the record again
  const [shown] = useState(() => ({
    started: wallSeconds(record?.started_at ?? Math.floor(Date.now() / 60_000) * 60_000, timeZone),
    ended: record?.ended_at ? wallSeconds(record.ended_at, timeZone) : '',
  }))
  const onSuccess = async () => {
    toast('healthy', t(record ? 'saved' : 'entered'))
    onClose()
  }
  const [change] = useRecordChange(record, async ({ id, machine_id, started_at }) => {
    const find = async (range: { date_from?: string; date_to?: string; sort_dir: 'asc' | 'desc' }) => {
      const query = { machine_id, page_size: 100, ...range }
      return (await getJson('/fleet/downtime', { params: { query } })).items.find((it) => it.id === id)
    }
    // somebody may have moved its beginning to before
    return (await find({ date_from: started_at, sort_dir: 'asc' })) ?? find({ date_to: started_at, sort_dir: 'desc' })
  })
  const save = useMutation({
    mutationFn: (values: FormData) => {
      const time = (name: 'started' | 'ended') => String(values.get(name) ?? '')
      const instant = (name: 'started' | 'ended') => instantOf(time(name), timeZone).toISOString()
      const reason = reasonOf(values)
      const ended = time('ended') && time('ended') !== shown.ended ? { ended_at: instant('ended') } : {}
      if (!record) {
        const params = { path: { machine_id: chosen } }
        const body = { ...reason, started_at: instant('started'), ...ended }
        return unwrap(api.POST('/machines/{machine_id}/downtime', { params, body }))
      }
      // a time that was not changed keeps its milliseconds
      const started = time('started') === shown.started ? {} : { started_at: instant('started') }
      const path = { machine_id: record.machine_id, record_id: record.id }
      return change({ ...reason, ...started, ...ended }, (body, header) =>
        unwrap(api.PUT('/machines/{machine_id}/downtime/{record_id}', { params: { path, header }, body })),
      )
    },
    onSuccess,
  })
  const end = useMutation({
    mutationFn: ({ machine_id, id }: DowntimeRecord) =>
      unwrap(api.POST('/machines/{machine_id}/downtime/{record_id}/end', { params: { path: { machine_id, record_id: id } } })),
    onSuccess,
  })
  const error = save.error ?? end.error
  const fields = useFieldFaults(error)
  if (record && step === 'split') return <SplitDialog record={record} onClose={onClose} />
  if (record && step === 'merge') return <MergeDialog record={record} onClose={onClose} />
  return (
    <Dialog title={t(record ? 'edit' : 'enter')} draftKey={record?.id} onClose={onClose} isBusy={save.isPending || end.isPending}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(submit) => {
          submit.preventDefault()
          save.mutate(new FormData(submit.currentTarget))
        }}
      >
        {error ? <Notice tone="critical">{faultText(error)}</Notice> : null}
        {record || machineId ? null : <MachineField label={t('machine')} value={chosen} onChange={setChosen} />}
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t('began')}
            name="started"
            type="datetime-local"
            step={1}
            required
            defaultValue={shown.started}
            fault={fields.started_at}
          />
          <TextField
            label={t('ended')}
            name="ended"
            type="datetime-local"
            step={1}
            required={wasEnded}
            hint={wasEnded ? undefined : t('endedHint')}
            defaultValue={shown.ended}
            fault={fields.ended_at}
          />
        </div>
        <ReasonFields reason={record} />
        <DialogActions>
          {record ? (
            <>
              <LeaveButton onPress={() => setStep('merge')}>{t('merge')}</LeaveButton>
              <LeaveButton onPress={() => setStep('split')}>{t('split')}</LeaveButton>
              {wasEnded ? null : (
                <Button isPending={end.isPending} onPress={() => end.mutate(record)}>
                  {t('endNow')}
                </Button>
              )}
            </>
          ) : null}
          <LeaveButton onPress={onClose}>{common('cancel')}</LeaveButton>
          <Button look="primary" type="submit" isPending={save.isPending}>
            {record ? common('save') : t('enter')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
