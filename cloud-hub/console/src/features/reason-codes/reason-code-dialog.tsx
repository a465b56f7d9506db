import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { REASON_CODE_OEE_LOSS_CATEGORY } from '../../api/enums.ts'
import {
  REASON_CODE_CREATE_CODE_MAX_LENGTH,
  REASON_CODE_CREATE_DESCRIPTION_MAX_LENGTH,
  REASON_CODE_CREATE_LABEL_MAX_LENGTH,
  REASON_CODE_CREATE_SORT_ORDER_MAX,
  REASON_CODE_CREATE_SORT_ORDER_MIN,
} from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'
import { useReasonLabel } from '../downtime/reason-label.ts'
import { TYPES } from '../downtime/records.ts'
import { inTree, withBelow } from './tree.ts'

type ReasonCode = Schemas['ReasonCode']

const LOSSES = REASON_CODE_OEE_LOSS_CATEGORY

/** Adds a reason of downtime, or changes one: records that have it show it as it is now. */
export function ReasonCodeDialog({ code, codes, onClose }: { code?: ReasonCode; codes: readonly ReasonCode[]; onClose(): void }) {
  const t = useTranslations()
  const labelOf = useReasonLabel()
  const excluded = code ? withBelow(codes, code.id) : new Set<string>()
  const [change] = useRecordChange(code, async ({ id }) => (await unwrap(api.GET('/reason-codes'))).find((it) => it.id === id))
  const save = useMutation({
    mutationFn: (text: (name: string) => string) => {
      const body = {
        code: text('code'),
        label: text('label'),
        category: text('category') as ReasonCode['category'],
        oee_loss_category: text('oee_loss_category') as ReasonCode['oee_loss_category'],
        description: text('description') || null,
        parent_id: text('parent_id') || null,
        sort_order: Number(text('sort_order') || 0),
      }
      return code
        ? change(body, (body, header) =>
            unwrap(api.PUT('/reason-codes/{code_id}', { params: { path: { code_id: code.id }, header }, body })),
          )
        : unwrap(api.POST('/reason-codes', { body }))
    },
    onSuccess: () => {
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t(code ? 'reasonCodes.edit' : 'reasonCodes.add')}
      draftKey={code?.id}
      saving={save}
      submit={t('common.save')}
      onSubmit={(form) => save.mutate(formText(form))}
      onClose={onClose}
    >
      <TextField
        label={t('reasonCodes.label')}
        name="label"
        required
        maxLength={REASON_CODE_CREATE_LABEL_MAX_LENGTH}
        defaultValue={code?.label}
        fault={fields.label}
      />
      <TextField
        label={t('reasonCodes.code')}
        hint={t('reasonCodes.codeHint')}
        name="code"
        required
        maxLength={REASON_CODE_CREATE_CODE_MAX_LENGTH}
        defaultValue={code?.code}
        fault={fields.code}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('downtime.type')}
          name="category"
          defaultValue={code?.category ?? 'unplanned'}
          options={TYPES.map((it) => [it, t(`downtime.types.${it}`)] as const)}
        />
        <SelectField
          label={t('reasonCodes.loss')}
          name="oee_loss_category"
          defaultValue={code?.oee_loss_category ?? 'availability_loss'}
          options={LOSSES.map((it) => [it, t(`reasonCodes.losses.${it}`)] as const)}
        />
      </div>
      <SelectField
        label={t('reasonCodes.parent')}
        name="parent_id"
        defaultValue={code?.parent_id ?? ''}
        options={[
          ['', t('common.none')],
          ...inTree(codes)
            .filter((it) => !excluded.has(it.code.id))
            .map((it) => [it.code.id, `${'\u2003'.repeat(it.depth)}${labelOf(it.code)}`] as const),
        ]}
        fault={fields.parent_id}
      />
      <TextField
        label={t('reasonCodes.order')}
        hint={t('reasonCodes.orderHint')}
        name="sort_order"
        type="number"
        step={1}
        min={REASON_CODE_CREATE_SORT_ORDER_MIN}
        max={REASON_CODE_CREATE_SORT_ORDER_MAX}
        defaultValue={code?.sort_order ?? 0}
        fault={fields.sort_order}
      />
      <TextArea
        label={`${t('work.description')} (${t('common.optional')})`}
        name="description"
        rows={2}
        maxLength={REASON_CODE_CREATE_DESCRIPTION_MAX_LENGTH}
        defaultValue={code?.description ?? ''}
        fault={fields.description}
      />
    </FormDialog>
  )
}
