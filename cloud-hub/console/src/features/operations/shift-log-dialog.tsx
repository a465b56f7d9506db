import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import {
  SHIFT_LOG_CREATE_HANDOVER_NOTES_MAX_LENGTH,
  SHIFT_LOG_CREATE_OPERATOR_COUNT_MIN,
  SHIFT_LOG_CREATE_SUPERVISOR_MAX_LENGTH,
} from '../../api/limits.ts'
import { MachineField } from '../../app/machine-field.tsx'
import { useMe } from '../../app/me.tsx'
import { useSite } from '../../app/site.ts'
import { useFaultText, useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { dayOf, instantOf, wallTime } from '../../i18n/wall-time.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Dialog, DialogActions, LeaveButton } from '../../kit/dialog.tsx'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'

type Status = Schemas['ShiftLog']['status']

/** Starts a shift of a machine, or corrects, completes or cancels its log. */
export function ShiftLogDialog({ log, onClose }: { log?: Schemas['ShiftLog']; onClose(): void }) {
  const t = useTranslations('shifts')
  const common = useTranslations('common')
  const { timeZone } = useFormat()
  const faultText = useFaultText()
  const { may } = useMe()
  const [machine, setMachine] = useState('')
  const [isDeleting, setDeleting] = useState(false)
  const client = useQueryClient()
  const { data: definitions = [] } = useQuery(apiQuery('/shifts/definitions', { params: { query: { group_id: useSite() } } }))
  const shown = {
    started: wallTime(log?.actual_start ?? new Date(), timeZone),
    ended: log?.actual_end ? wallTime(log.actual_end, timeZone) : '',
  }
  const save = useMutation({
    mutationFn: async ({ values, status }: { values: FormData; status?: Status }) => {
      const text = (name: string) => String(values.get(name) ?? '').trim()
      // a time that was not changed keeps its seconds
      const time = (name: 'started' | 'ended') =>
        text(name) && (!log || text(name) !== shown[name]) ? instantOf(text(name), timeZone).toISOString() : undefined
      const [started, ended] = [time('started'), time('ended')]
      const body = {
        ...(ended && { actual_end: ended }),
        supervisor: text('supervisor') || null,
        operator_count: text('operators') ? Number(text('operators')) : null,
        handover_notes: text('notes') || null,
        ...(status && { status }),
      }
      if (log) {
        const params = { path: { log_id: log.id } }
        return unwrap(
          api.PATCH('/shifts/logs/{log_id}', { params, body: { ...body, ...(started && { actual_start: started }) } }),
        )
      }
      const actual_start = started ?? new Date().toISOString()
      // the date where the machine is
      const params = { path: { machine_id: machine }, query: { interval: '1h' as const } }
      const { time_zone } = await client.fetchQuery(apiQuery('/machines/{machine_id}/oee', { params }))
      const shift_date = dayOf(actual_start, time_zone)
      const ids = { machine_id: machine, shift_definition_id: text('shift') }
      return unwrap(api.POST('/shifts/logs', { body: { ...body, ...ids, shift_date, actual_start } }))
    },
    onSuccess: () => {
      toast('healthy', common('saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  const isActive = log?.status === 'active'
  return (
    <Dialog title={t(log ? 'editLog' : 'start')} draftKey={log?.id} onClose={onClose} isBusy={save.isPending}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(submit) => {
          submit.preventDefault()
          const status = (submit.nativeEvent as SubmitEvent).submitter?.getAttribute('value') as Status | ''
          save.mutate({ values: new FormData(submit.currentTarget), ...(status && { status }) })
        }}
      >
        {save.error ? <Notice tone="critical">{faultText(save.error)}</Notice> : null}
        {log ? null : (
          <div className="grid gap-4 sm:grid-cols-2">
            <MachineField label={t('machine')} value={machine} onChange={setMachine} fault={fields.machine_id} />
            <SelectField
              label={t('shift')}
              name="shift"
              required
              options={definitions.filter(({ is_active }) => is_active).map(({ id, name }) => [id, name] as const)}
              fault={fields.shift_definition_id}
            />
          </div>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t('began')}
            name="started"
            type="datetime-local"
            required
            defaultValue={shown.started}
            fault={fields.actual_start}
          />
          {isActive || !log ? null : (
            <TextField
              label={t('ended')}
              name="ended"
              type="datetime-local"
              required
              defaultValue={shown.ended}
              fault={fields.actual_end}
            />
          )}
          <TextField
            label={`${t('supervisor')} (${common('optional')})`}
            name="supervisor"
            maxLength={SHIFT_LOG_CREATE_SUPERVISOR_MAX_LENGTH}
            defaultValue={log?.supervisor ?? ''}
            fault={fields.supervisor}
          />
          <TextField
            label={`${t('operators')} (${common('optional')})`}
            name="operators"
            type="number"
            min={SHIFT_LOG_CREATE_OPERATOR_COUNT_MIN}
            defaultValue={log?.operator_count ?? ''}
            fault={fields.operator_count}
          />
        </div>
        <TextArea
          label={`${t('notes')} (${common('optional')})`}
          name="notes"
          rows={4}
          maxLength={SHIFT_LOG_CREATE_HANDOVER_NOTES_MAX_LENGTH}
          defaultValue={log?.handover_notes ?? ''}
        />
        <DialogActions>
          {log && may('admin') ? (
            <Button look="danger" onPress={() => setDeleting(true)}>
              {common('delete')}
            </Button>
          ) : null}
          {isActive ? (
            <>
              <Button type="submit" value="cancelled" isPending={save.isPending && save.variables.status === 'cancelled'}>
                {t('cancelLog')}
              </Button>
              <Button type="submit" value="completed" isPending={save.isPending && save.variables.status === 'completed'}>
                {t('complete')}
              </Button>
            </>
          ) : null}
          <LeaveButton onPress={onClose}>{common('cancel')}</LeaveButton>
          <Button look="primary" type="submit" isPending={save.isPending && !save.variables.status}>
            {log ? common('save') : t('start')}
          </Button>
        </DialogActions>
      </form>
      {log && isDeleting ? (
        <ConfirmDialog
          title={t('deleteLog')}
          text={t('deleteLogText')}
          confirm={common('delete')}
          run={() => unwrap(api.DELETE('/shifts/logs/{log_id}', { params: { path: { log_id: log.id } } }))}
          onDone={onClose}
          onClose={() => setDeleting(false)}
        />
      ) : null}
    </Dialog>
  )
}
