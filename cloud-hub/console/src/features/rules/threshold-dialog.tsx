import { unitSymbol } from '@haltless/protocol/units'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFieldFaults } from '../../app/fault-text.ts'
import { MachineField } from '../../app/machine-field.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { Backtest, type BacktestRequest } from './backtest.tsx'
import { useMetricUnit } from './metric-units.ts'

/** With an id: the rule that is changed. */
export type ThresholdDraft = Partial<
  Pick<Schemas['AlertRule'], 'id' | 'machine_id' | 'metric_name' | 'warning_threshold' | 'critical_threshold'>
>

/** Creates or changes a threshold rule; a back-test shows which alerts it would have raised. */
export function ThresholdDialog({ draft, onClose }: { draft: ThresholdDraft; onClose(): void }) {
  const t = useTranslations()
  const format = useFormat()
  const client = useQueryClient()
  const listId = useId()
  const [machineId, setMachineId] = useState(draft.machine_id ?? '')
  const [metric, setMetric] = useState(draft.metric_name ?? '')
  const [warning, setWarning] = useState(String(draft.warning_threshold ?? ''))
  const [critical, setCritical] = useState(String(draft.critical_threshold ?? ''))
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
  const unitOf = useMetricUnit()
  const unit = latest?.readings[metric]?.unit ?? unitOf(metric)
  /** Thresholds are compared with what machines report, which the reader may read in another unit. */
  const unitHint = (text: string) => {
    if (unit === undefined) return undefined
    const symbol = unitSymbol(unit) || unit
    return text === '' || format.unitName(unit) === symbol
      ? t('rules.unitHint', { unit: symbol })
      : t('rules.unitHintOther', { unit: symbol, value: format.value(Number(text), unit) })
  }
  const thresholds = { warning_threshold: Number(warning), critical_threshold: Number(critical) }
  const isComplete = metric !== '' && warning !== '' && critical !== ''
  const save = useMutation<unknown>({
    mutationFn: () =>
      draft.id
        ? unwrap(api.PUT('/alert-rules/{rule_id}', { params: { path: { rule_id: draft.id } }, body: thresholds }))
        : unwrap(
            api.POST('/alert-rules', {
              body: { machine_id: machineId || null, metric_name: metric, is_active: true, ...thresholds },
            }),
          ),
    onSuccess: async () => {
      const paths = ['/alert-rules', '/alert-rules/suggestions']
      await Promise.all(paths.map((path) => client.invalidateQueries({ queryKey: [path] })))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t(draft.id ? 'rules.edit' : 'rules.add')}
      width="max-w-3xl"
      saving={save}
      submit={t('common.save')}
      actions={
        <Button
          className="mr-auto"
          isDisabled={!isComplete}
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
          maxLength={100}
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
          value={warning}
          onChange={({ target }) => setWarning(target.value)}
          required
          hint={unitHint(warning)}
          fault={fields.warning_threshold}
        />
        <TextField
          label={t('rules.critical')}
          type="number"
          step="any"
          value={critical}
          onChange={({ target }) => setCritical(target.value)}
          required
          hint={[unitHint(critical), t('rules.criticalHint')].filter(Boolean).join(' ')}
          fault={fields.critical_threshold}
        />
      </div>
      {tested ? <Backtest request={tested} chartMachineId={machineId || (exampleId ?? null)} /> : null}
    </FormDialog>
  )
}
