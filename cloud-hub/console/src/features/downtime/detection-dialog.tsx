import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { DOWNTIME_DETECTION_PUT_SIGNAL } from '../../api/enums.ts'
import {
  DOWNTIME_DETECTION_PUT_FOR_SECONDS_MAX,
  DOWNTIME_DETECTION_PUT_FOR_SECONDS_MIN,
  DOWNTIME_DETECTION_PUT_SILENT_AFTER_SECONDS_MAX,
  DOWNTIME_DETECTION_PUT_SILENT_AFTER_SECONDS_MIN,
} from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { CheckField, SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'
import { useReasonLabel } from './reason-label.ts'
import { useReasonCodes } from './records.ts'

const SIGNALS = DOWNTIME_DETECTION_PUT_SIGNAL
type Signal = (typeof SIGNALS)[number]
const USUAL_SECONDS = 60
const USUAL_SILENCE = 900

/** Chooses the signal that shows that a machine is stopped. */
export function DetectionDialog({ settings, onClose }: { settings: Schemas['DowntimeDetection']; onClose(): void }) {
  const t = useTranslations('detection')
  const common = useTranslations('common')
  const downtime = useTranslations('downtime')
  const format = useFormat()
  const client = useQueryClient()
  const labelOf = useReasonLabel()
  const { data: codes = [] } = useReasonCodes()
  const params = { path: { machine_id: settings.machine_id } }
  const { data: latest } = useQuery(apiQuery('/machines/{machine_id}/readings/latest', { params }))
  const [signal, setSignal] = useState<Signal>(settings.signal ?? 'level')
  const [change] = useRecordChange(settings, () => unwrap(api.GET('/machines/{machine_id}/downtime-detection', { params })))
  const save = useMutation({
    mutationFn: (text: (name: string) => string) => {
      const number = (name: string) => (text(name) === '' ? null : Number(text(name)))
      const isSilence = signal === 'silence'
      const metric = isSilence ? null : text('metric_name')
      const body: Schemas['DowntimeDetectionPut'] = {
        is_active: text('is_active') === 'on',
        signal,
        metric_name: metric,
        unit: metric !== null && metric === settings.metric_name ? settings.unit : null,
        stopped_values:
          signal === 'state'
            ? text('stopped_values')
                .split(/[\s;,]+/)
                .filter(Boolean)
                .map(Number)
            : null,
        limit: signal === 'level' || signal === 'count' ? number('limit') : null,
        silent_after_seconds: number('silent_after_seconds'),
        reason_code_id: text('reason_code_id') || null,
        ...(isSilence ? {} : { for_seconds: number('for_seconds') ?? 0 }),
      }
      return change(body, (body, header) =>
        unwrap(api.PUT('/machines/{machine_id}/downtime-detection', { params: { ...params, header }, body })),
      )
    },
    onSuccess: (saved) => {
      client.setQueryData(apiQuery('/machines/{machine_id}/downtime-detection', { params }).queryKey, saved)
      toast('healthy', common('saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  const metrics = [...new Set([...(settings.metric_name ? [settings.metric_name] : []), ...Object.keys(latest?.readings ?? {})])]
  return (
    <FormDialog
      title={t('title')}
      saving={save}
      submit={common('save')}
      onSubmit={(form) => save.mutate(formText(form))}
      onClose={onClose}
    >
      <CheckField
        label={t('isActive')}
        hint={t('isActiveHint')}
        name="is_active"
        defaultChecked={settings.signal === null || settings.is_active}
      />
      <SelectField
        label={t('signal')}
        name="signal"
        hint={t(`hints.${signal}`)}
        value={signal}
        onChange={({ target }) => setSignal(target.value as Signal)}
        options={SIGNALS.map((it) => [it, t(`signals.${it}`)] as const)}
      />
      {signal === 'silence' ? null : (
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            key={metrics.join()}
            label={t('metric')}
            name="metric_name"
            required
            defaultValue={settings.metric_name ?? ''}
            options={[['', common('none')], ...metrics.map((it) => [it, format.metric(it)] as const)]}
            fault={fields.metric_name}
          />
          {signal === 'state' ? (
            <TextField
              label={t('stoppedValues')}
              hint={t('stoppedValuesHint')}
              name="stopped_values"
              required
              pattern="\s*-?[0-9.]+([\s;,]+-?[0-9.]+)*\s*"
              defaultValue={(settings.stopped_values ?? []).join(', ')}
              fault={fields.stopped_values}
            />
          ) : (
            <TextField
              label={t(`limits.${signal}`)}
              name="limit"
              type="number"
              step="any"
              required
              defaultValue={settings.limit ?? ''}
              fault={fields.limit}
            />
          )}
        </div>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        {signal === 'silence' ? null : (
          <TextField
            label={t('forSeconds')}
            hint={t('forSecondsHint')}
            name="for_seconds"
            type="number"
            min={DOWNTIME_DETECTION_PUT_FOR_SECONDS_MIN}
            max={DOWNTIME_DETECTION_PUT_FOR_SECONDS_MAX}
            defaultValue={settings.signal === null ? USUAL_SECONDS : settings.for_seconds}
            fault={fields.for_seconds}
          />
        )}
        <TextField
          key={String(signal === 'silence')}
          label={signal === 'silence' ? t('silence') : `${t('silence')} (${common('optional')})`}
          hint={t('silenceHint')}
          name="silent_after_seconds"
          type="number"
          min={DOWNTIME_DETECTION_PUT_SILENT_AFTER_SECONDS_MIN}
          max={DOWNTIME_DETECTION_PUT_SILENT_AFTER_SECONDS_MAX}
          required={signal === 'silence'}
          defaultValue={settings.silent_after_seconds ?? (signal === 'silence' ? USUAL_SILENCE : '')}
          fault={fields.silent_after_seconds}
        />
      </div>
      <SelectField
        key={String(codes.length)}
        label={`${downtime('reason')} (${common('optional')})`}
        name="reason_code_id"
        defaultValue={settings.reason_code_id ?? ''}
        options={[['', common('none')], ...codes.map((code) => [code.id, labelOf(code)] as const)]}
      />
    </FormDialog>
  )
}
