import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { ALERT_RULE_CREATE_METRIC_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { MachineField } from '../../app/machine-field.tsx'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { Backtest, type BacktestRequest } from './backtest.tsx'
import { type EnteredValue, shownText, storedValue } from './entered-value.ts'
import { useMetricUnits } from './metric-units.ts'
import { SuggestionNote } from './suggestion-note.tsx'
import { useUnitHint } from './unit-hint.ts'

/** With an id: the rule that is changed. */
export type ThresholdDraft = Partial<
  Pick<Schemas['AlertRule'], 'id' | 'machine_id' | 'metric_name' | 'warning_threshold' | 'critical_threshold' | 'version'>
>

/** Creates or changes a threshold rule; a back-test shows which alerts it would have raised. */
export function ThresholdDialog({ draft, onClose }: { draft: ThresholdDraft; onClose(): void }) {
  const t = useTranslations()
  const format = useFormat()
  const listId = useId()
  const [machineId, setMachineId] = useState(draft.machine_id ?? '')
  const [metric, setMetric] = useState(draft.metric_name ?? '')
  const [warning, setWarning] = useState<EnteredValue>({ stored: draft.warning_threshold, typed: null })
  const [critical, setCritical] = useState<EnteredValue>({ stored: draft.critical_threshold, typed: null })
  const [tested, setTested] = useState<BacktestRequest | null>(null)
  // the metrics of the chosen machine, or of any one where the rule is for all
  const { data: first } = useQuery({
    ...apiQuery('/machines', { params: { query: { page_size: 1 } } }),
    enabled: machineId === '',
  })
  const exampleId = machineId || first?.items[0]?.id
  const { data: latest } = useQuery({
    ...apiQuery('/machines/{machine_id}/readings/latest', { params: { path: { machine_id: exampleId ?? '' } } }),
    enabled: exampleId !== undefined,
  })
  const units = useMetricUnits([exampleId ?? null])
  const reported = units.all(metric, machineId || null)
  const unit = units.one(metric, machineId || null)
  const unitHint = useUnitHint()
  const values = { warning: storedValue(warning, unit, format), critical: storedValue(critical, unit, format) }
  const thresholds = { warning_threshold: values.warning ?? 0, critical_threshold: values.critical ?? 0 }
  const isComplete = metric !== '' && values.warning !== undefined && values.critical !== undefined
  const [change] = useRecordChange(
    draft.id ? draft : null,
    async ({ id }) => (await unwrap(api.GET('/alert-rules'))).find((it) => it.id === id),
    (_path, value) => (typeof value === 'number' ? format.value(value, unit ?? '') : undefined),
  )
  const save = useMutation<unknown>({
    mutationFn: () =>
      draft.id
        ? change(thresholds, (body, header) =>
            unwrap(api.PUT('/alert-rules/{rule_id}', { params: { path: { rule_id: draft.id as string }, header }, body })),
          )
        : unwrap(
            api.POST('/alert-rules', {
              body: { machine_id: machineId || null, metric_name: metric, is_active: true, ...thresholds },
            }),
          ),
    onSuccess: onClose,
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t(draft.id ? 'rules.edit' : 'rules.add')}
      draftKey={draft.id}
      width="max-w-3xl"
      saving={save}
      submit={t('common.save')}
      isDisabled={units.isPending}
      actions={
        <Button
          className="mr-auto"
          isDisabled={!isComplete || units.isPending}
          onPress={() => setTested({ machine_id: machineId || null, metric_name: metric, ...thresholds })}
        >
          {t('rules.test')}
        </Button>
      }
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <MachineField
          label={t('rules.machine')}
          value={machineId}
          none={t('rules.allMachines')}
          isDisabled={draft.id !== undefined}
          onChange={setMachineId}
        />
        <TextField
          label={t('rules.metric')}
          value={metric}
          disabled={draft.id !== undefined}
          onChange={({ target }) => setMetric(target.value.trim())}
          list={listId}
          required
          maxLength={ALERT_RULE_CREATE_METRIC_NAME_MAX_LENGTH}
          hint={t('rules.metricHint')}
          fault={fields.metric_name}
        />
        <datalist id={listId}>
          {Object.keys(latest?.readings ?? {}).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TextField
          label={t('rules.warning')}
          type="number"
          step="any"
          value={shownText(warning, unit, format)}
          onChange={({ target }) => setWarning({ ...warning, typed: target.value })}
          required
          hint={unitHint(reported, values.warning)}
          fault={fields.warning_threshold}
        />
        <TextField
          label={t('rules.critical')}
          type="number"
          step="any"
          value={shownText(critical, unit, format)}
          onChange={({ target }) => setCritical({ ...critical, typed: target.value })}
          required
          hint={[unitHint(reported, values.critical), t('rules.criticalHint')].filter(Boolean).join(' ')}
          fault={fields.critical_threshold}
        />
      </div>
      {units.isPending ? null : (
        <SuggestionNote
          metric={metric}
          isReported={reported.length > 0}
          machineId={exampleId}
          onUse={({ suggested_warning, suggested_critical }) => {
            setWarning({ stored: suggested_warning, typed: null })
            setCritical({ stored: suggested_critical, typed: null })
          }}
        />
      )}
      {tested ? <Backtest request={tested} chartMachineId={machineId || (exampleId ?? null)} /> : null}
    </FormDialog>
  )
}
