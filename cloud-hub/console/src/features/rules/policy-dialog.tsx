import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { ESCALATION_POLICY_SEVERITY } from '../../api/enums.ts'
import {
  ESCALATION_POLICY_CREATE_NAME_MAX_LENGTH,
  ESCALATION_POLICY_CREATE_WAIT_MINUTES_MAX,
  ESCALATION_POLICY_CREATE_WAIT_MINUTES_MIN,
} from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { useRecordChange } from '../../kit/record-change.ts'

type Policy = Schemas['EscalationPolicy']

/** Adds an escalation, or changes one. */
export function PolicyDialog({
  policy,
  channels,
  onClose,
}: {
  policy: Policy | null
  channels: readonly Schemas['NotificationChannel'][]
  onClose(): void
}) {
  const t = useTranslations()
  const [change] = useRecordChange(policy, async ({ id }) =>
    (await unwrap(api.GET('/escalation-policies'))).find((it) => it.id === id),
  )
  const save = useMutation({
    mutationFn: (body: Schemas['EscalationPolicyCreate']) =>
      policy
        ? change(body, (body, header) =>
            unwrap(api.PUT('/escalation-policies/{policy_id}', { params: { path: { policy_id: policy.id }, header }, body })),
          )
        : unwrap(api.POST('/escalation-policies', { body })),
    onSuccess: onClose,
  })
  const faults = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t(policy ? 'rules.editPolicy' : 'rules.addPolicy')}
      draftKey={policy?.id}
      saving={save}
      submit={t('common.save')}
      onSubmit={(form) => {
        const text = formText(form)
        save.mutate({
          name: text('policy_name'),
          severity: text('severity') as Policy['severity'],
          wait_minutes: Number(text('wait_minutes')),
          channel_id: text('channel_id'),
          is_active: policy?.is_active ?? true,
        })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('rules.name')}
        name="policy_name"
        required
        maxLength={ESCALATION_POLICY_CREATE_NAME_MAX_LENGTH}
        defaultValue={policy?.name}
        fault={faults.name}
      />
      <SelectField
        label={t('alerts.severity')}
        name="severity"
        defaultValue={policy?.severity ?? 'critical'}
        options={ESCALATION_POLICY_SEVERITY.toReversed().map((it) => [it, t(`severity.${it}`)] as const)}
      />
      <TextField
        label={t('rules.wait')}
        name="wait_minutes"
        type="number"
        min={ESCALATION_POLICY_CREATE_WAIT_MINUTES_MIN}
        max={ESCALATION_POLICY_CREATE_WAIT_MINUTES_MAX}
        defaultValue={policy?.wait_minutes ?? 15}
        required
        fault={faults.wait_minutes}
      />
      <SelectField
        label={t('rules.channel')}
        name="channel_id"
        defaultValue={policy?.channel_id}
        options={channels.map(({ id, name }) => [id, name] as const)}
        fault={faults.channel_id}
      />
    </FormDialog>
  )
}
