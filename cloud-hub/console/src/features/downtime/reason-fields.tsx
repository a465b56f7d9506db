import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { DOWNTIME_CREATE_REASON_NOTE_MAX_LENGTH } from '../../api/limits.ts'
import { SelectField, TextArea } from '../../kit/field.tsx'
import { useReasonLabel } from './reason-label.ts'
import { type ReasonType, TYPES, useReasonCodes } from './records.ts'

export interface Reason {
  reason_type: ReasonType
  reason_code_id: string | null
  reason_note: string | null
}

/** @returns what the fields of `ReasonFields` hold */
export const reasonOf = (values: FormData): Reason => ({
  reason_type: String(values.get('reason_type')) as ReasonType,
  reason_code_id: String(values.get('reason_code_id') ?? '') || null,
  reason_note: String(values.get('reason_note') ?? '').trim() || null,
})

/** Why a machine stood still. A code brings its type, which can then be changed. */
export function ReasonFields({ reason }: { reason?: Reason & { reason_code?: { label: string } | null } }) {
  const t = useTranslations('downtime')
  const common = useTranslations('common')
  const { data: codes = [] } = useReasonCodes()
  const labelOf = useReasonLabel()
  const [codeId, setCodeId] = useState(reason?.reason_code_id ?? '')
  const [type, setType] = useState<ReasonType>(reason?.reason_type ?? 'unplanned')
  const isRetired = codeId !== '' && !codes.some(({ id }) => id === codeId)
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('reason')}
          name="reason_code_id"
          value={codeId}
          onChange={({ target }) => {
            setCodeId(target.value)
            const code = codes.find(({ id }) => id === target.value)
            if (code) setType(code.category)
          }}
          options={[
            ['', common('none')],
            ...(isRetired ? [[codeId, reason?.reason_code ? labelOf(reason.reason_code) : codeId] as const] : []),
            ...codes.map((code) => [code.id, labelOf(code)] as const),
          ]}
        />
        <SelectField
          label={t('type')}
          name="reason_type"
          value={type}
          onChange={({ target }) => setType(target.value as ReasonType)}
          options={TYPES.map((it) => [it, t(`types.${it}`)] as const)}
        />
      </div>
      <TextArea
        label={`${t('note')} (${common('optional')})`}
        name="reason_note"
        maxLength={DOWNTIME_CREATE_REASON_NOTE_MAX_LENGTH}
        rows={2}
        defaultValue={reason?.reason_note ?? ''}
      />
    </>
  )
}
