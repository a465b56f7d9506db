import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { COMPOSITE_EXPRESSION_CONDITIONS_ITEM_OP, COMPOSITE_RULE_SEVERITY } from '../../api/enums.ts'
import {
  COMPOSITE_EXPRESSION_CONDITIONS_ITEM_DURATION_SECONDS_MIN,
  COMPOSITE_EXPRESSION_CONDITIONS_ITEM_METRIC_MAX_LENGTH,
  COMPOSITE_EXPRESSION_CONDITIONS_MAX_ITEMS,
  COMPOSITE_RULE_CREATE_NAME_MAX_LENGTH,
} from '../../api/limits.ts'
import { MachineField } from '../../app/machine-field.tsx'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { Icon } from '../../kit/icon.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { Backtest, type BacktestRequest } from './backtest.tsx'
import { type EnteredValue, shownText, storedValue } from './entered-value.ts'
import { useExpressionText } from './expression-text.ts'
import { useMetricUnits } from './metric-units.ts'

type Op = Schemas['CompositeExpression']['conditions'][number]['op']

interface Condition {
  key: number
  metric: string
  op: Op
  value: EnteredValue
  seconds: string
}

let lastKey = 0
const blank = (): Condition => ({ key: ++lastKey, metric: '', op: '>', value: { stored: undefined, typed: null }, seconds: '' })

/** Creates or changes a rule of several conditions; a back-test shows which alerts it would have raised. */
export function CompositeDialog({ rule, onClose }: { rule: Schemas['CompositeRule'] | null; onClose(): void }) {
  const t = useTranslations()
  const format = useFormat()
  const listId = useId()
  const [machineId, setMachineId] = useState(rule?.machine_id ?? '')
  const [name, setName] = useState(rule?.name ?? '')
  const [description, setDescription] = useState(rule?.description ?? '')
  const [severity, setSeverity] = useState<Schemas['CompositeRule']['severity']>(rule?.severity ?? 'warning')
  const [operator, setOperator] = useState<'AND' | 'OR'>(rule?.expression.operator ?? 'AND')
  const [conditions, setConditions] = useState<Condition[]>(() =>
    rule
      ? rule.expression.conditions.map(({ metric, op, value, duration_seconds }) => ({
          key: ++lastKey,
          metric,
          op,
          value: { stored: value, typed: null },
          seconds: duration_seconds ? String(duration_seconds) : '',
        }))
      : [blank(), blank()],
  )
  const [tested, setTested] = useState<BacktestRequest | null>(null)
  const { data: latest } = useQuery({
    ...apiQuery('/machines/{machine_id}/readings/latest', { params: { path: { machine_id: machineId } } }),
    enabled: machineId !== '',
  })
  const units = useMetricUnits([machineId || null])
  const unitOf = (metric: string) => units.one(metric, machineId || null)
  const expression = {
    operator,
    conditions: conditions.map(({ metric, op, value, seconds }) => ({
      metric,
      op,
      value: storedValue(value, unitOf(metric), format) ?? 0,
      ...(seconds ? { duration_seconds: Number(seconds) } : {}),
    })),
  }
  const unitText = (metric: string) => {
    const unit = unitOf(metric)
    return unit ? ` (${format.unitLabel(unit)})` : ''
  }
  const isFilled = ({ metric, value }: Condition) => metric !== '' && storedValue(value, unitOf(metric), format) !== undefined
  const isComplete = machineId !== '' && conditions.every(isFilled)
  const set = (key: number, change: Partial<Condition>) =>
    setConditions((known) => known.map((it) => (it.key === key ? { ...it, ...change } : it)))
  const expressionText = useExpressionText()
  const [change] = useRecordChange(
    rule,
    async ({ id }) => (await unwrap(api.GET('/composite-rules'))).find((it) => it.id === id),
    (path, value) => (path === 'expression' ? expressionText(value as Schemas['CompositeExpression'], unitOf) : undefined),
  )
  const save = useMutation<unknown>({
    mutationFn: () => {
      const body = {
        machine_id: machineId,
        name: name.trim(),
        description: description.trim() || null,
        severity,
        expression,
        is_active: rule?.is_active ?? true,
      }
      return rule
        ? change(body, (body, header) =>
            unwrap(api.PUT('/composite-rules/{rule_id}', { params: { path: { rule_id: rule.id }, header }, body })),
          )
        : unwrap(api.POST('/composite-rules', { body }))
    },
    onSuccess: onClose,
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t(rule ? 'rules.edit' : 'rules.addComposite')}
      draftKey={rule?.id}
      width="max-w-3xl"
      saving={save}
      submit={t('common.save')}
      isDisabled={units.isPending}
      actions={
        <Button
          className="mr-auto"
          isDisabled={!isComplete || units.isPending}
          onPress={() => setTested({ machine_id: machineId, expression, severity })}
        >
          {t('rules.test')}
        </Button>
      }
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('rules.name')}
          value={name}
          onChange={({ target }) => setName(target.value)}
          required
          maxLength={COMPOSITE_RULE_CREATE_NAME_MAX_LENGTH}
          fault={fields.name}
        />
        <MachineField label={t('rules.machine')} value={machineId} onChange={setMachineId} />
        <SelectField
          label={t('alerts.severity')}
          value={severity}
          onChange={({ target }) => setSeverity(target.value as typeof severity)}
          options={COMPOSITE_RULE_SEVERITY.map((it) => [it, t(`severity.${it}`)] as const)}
        />
        <SelectField
          label={t('rules.operator')}
          value={operator}
          onChange={({ target }) => setOperator(target.value as 'AND' | 'OR')}
          options={[
            ['AND', t('rules.allOf')],
            ['OR', t('rules.anyOf')],
          ]}
        />
        <TextArea
          label={`${t('rules.description')} (${t('common.optional')})`}
          className="sm:col-span-2"
          rows={2}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
          fault={fields.description}
        />
      </div>
      <datalist id={listId}>
        {Object.keys(latest?.readings ?? {}).map((metric) => (
          <option key={metric} value={metric} />
        ))}
      </datalist>
      {conditions.map((condition, index) => (
        <fieldset key={condition.key} className="grid grid-cols-2 items-end gap-3 sm:grid-cols-[2fr_1fr_1fr_1fr_auto]">
          <legend className="sr-only">{t('rules.condition', { number: String(index + 1) })}</legend>
          <TextField
            label={t('rules.metric')}
            list={listId}
            value={condition.metric}
            onChange={({ target }) => set(condition.key, { metric: target.value.trim() })}
            required
            maxLength={COMPOSITE_EXPRESSION_CONDITIONS_ITEM_METRIC_MAX_LENGTH}
          />
          <SelectField
            label={t('rules.comparison')}
            value={condition.op}
            onChange={({ target }) => set(condition.key, { op: target.value as Op })}
            options={COMPOSITE_EXPRESSION_CONDITIONS_ITEM_OP.map((op) => [op, op] as const)}
          />
          <TextField
            label={`${t('rules.value')}${unitText(condition.metric)}`}
            // the label changes with the unit of the metric, and a draft finds the field by this
            name="value"
            type="number"
            step="any"
            value={shownText(condition.value, unitOf(condition.metric), format)}
            onChange={({ target }) => set(condition.key, { value: { ...condition.value, typed: target.value } })}
            required
          />
          <TextField
            label={t('rules.seconds')}
            type="number"
            min={COMPOSITE_EXPRESSION_CONDITIONS_ITEM_DURATION_SECONDS_MIN}
            value={condition.seconds}
            onChange={({ target }) => set(condition.key, { seconds: target.value })}
          />
          <Button
            aria-label={t('rules.removeCondition', { number: String(index + 1) })}
            isDisabled={conditions.length === 1}
            onPress={() => setConditions((known) => known.filter(({ key }) => key !== condition.key))}
          >
            <Icon name="minus" className="size-4.5" />
          </Button>
        </fieldset>
      ))}
      <Button
        className="self-start"
        isDisabled={conditions.length >= COMPOSITE_EXPRESSION_CONDITIONS_MAX_ITEMS}
        data-adds-row
        onPress={() => setConditions((known) => [...known, blank()])}
      >
        {t('rules.addCondition')}
      </Button>
      {tested ? <Backtest request={tested} chartMachineId={null} /> : null}
    </FormDialog>
  )
}
