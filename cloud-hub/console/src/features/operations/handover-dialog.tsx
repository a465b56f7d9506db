import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { SHIFT_LOG_PATCH_HANDOVER_NOTES_MAX_LENGTH } from '../../api/limits.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions, LeaveButton } from '../../kit/dialog.tsx'
import { TextArea } from '../../kit/field.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { useAlertText } from '../alerts/alert-text.ts'
import { useReasonLabel } from '../downtime/reason-label.ts'
import { NoteItem } from '../notes/note-item.tsx'

/** Shorter ones are summed by reason. Source: the API document */
const MICRO_STOP_MINUTES = 5
const isNoMicroStop = ({ duration_minutes }: { duration_minutes: number | null }) =>
  duration_minutes === null || duration_minutes >= MICRO_STOP_MINUTES

/** What the next shift has to know: alerts, downtime, and the notes of this shift. */
export function HandoverDialog({ log, onClose }: { log: Schemas['ShiftLog']; onClose(): void }) {
  const t = useTranslations()
  const format = useFormat()
  const faultText = useFaultText()
  const params = { path: { log_id: log.id } }
  const handover = useQuery(apiQuery('/shifts/logs/{log_id}/handover', { params }))
  const alertText = useAlertText()
  const labelOf = useReasonLabel()
  const [change] = useRecordChange(
    log,
    async () => (await unwrap(api.GET('/shifts/logs/{log_id}/handover', { params }))).shift_log,
  )
  const save = useMutation({
    mutationFn: (handover_notes: string) =>
      change({ handover_notes: handover_notes || null }, (body, header) =>
        unwrap(api.PATCH('/shifts/logs/{log_id}', { params: { ...params, header }, body })),
      ),
    onSuccess: onClose,
  })
  return (
    <Dialog
      title={t('shifts.handoverOf', { shift: log.shift_name, date: format.date(`${log.shift_date}T12:00:00Z`) })}
      draftKey={log.id}
      onClose={onClose}
      isBusy={save.isPending}
      width="max-w-2xl"
    >
      <Loaded query={handover} label={t('shifts.handover')} rows={3}>
        {(data) => (
          <>
            <p>{t('shifts.summary', { alerts: data.alert_count, downtime: format.duration(data.total_downtime_minutes) })}</p>
            <ul className="flex flex-col gap-1 text-sm">
              {data.alerts_during_shift.map((alert) => (
                <li key={alert.id}>
                  {format.time(alert.created_at)} ·{' '}
                  {alertText({ ...alert, machine_name: log.machine_name, message: alert.description })}
                </li>
              ))}
              {data.micro_stops.map(({ reason_code, reason_type, count, minutes }) => (
                <li key={`${reason_code?.id} ${reason_type}`}>
                  {t('shifts.microStops', {
                    count,
                    reason: reason_code ? labelOf(reason_code) : t(`downtime.types.${reason_type}`),
                    duration: format.duration(minutes),
                  })}
                </li>
              ))}
              {data.downtime_during_shift.filter(isNoMicroStop).map((record) => (
                <li key={record.id}>
                  {format.time(record.started_at)} · {t(`downtime.types.${record.reason_type}`)}
                  {record.duration_minutes === null ? '' : ` · ${format.duration(record.duration_minutes)}`}
                  {record.reason_note ? ` · ${record.reason_note}` : ''}
                </li>
              ))}
            </ul>
            {data.notes.length > 0 ? (
              <section aria-label={t('notes.title')}>
                <h3 className="font-semibold">{t('notes.title')}</h3>
                <ul className="divide-y divide-line text-sm">
                  {data.notes.map((note) => (
                    <NoteItem key={note.id} note={note} />
                  ))}
                </ul>
              </section>
            ) : null}
          </>
        )}
      </Loaded>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(String(new FormData(event.currentTarget).get('notes')).trim())
        }}
      >
        {save.error ? <Notice tone="critical">{faultText(save.error)}</Notice> : null}
        <TextArea
          label={t('shifts.notes')}
          name="notes"
          rows={4}
          maxLength={SHIFT_LOG_PATCH_HANDOVER_NOTES_MAX_LENGTH}
          defaultValue={log.handover_notes ?? ''}
        />
        <DialogActions>
          <LeaveButton onPress={onClose}>{t('common.cancel')}</LeaveButton>
          <Button look="primary" type="submit" isPending={save.isPending}>
            {t('common.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
