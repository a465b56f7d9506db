import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { CheckField, SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'
import { ENTITIES, type Entity, FIELDS, isRequired } from './providers.ts'

type Mapping = Readonly<Record<string, string>>

/** The mapping with a key for each entity, also where one key is for the fields of all entities. */
const byEntity = (mapping: Mapping): Mapping =>
  Object.fromEntries(
    ENTITIES.flatMap((entity) =>
      FIELDS[entity].flatMap((field) => {
        const name = mapping[`${entity}.${field}`] ?? mapping[field]
        return name === undefined ? [] : [[`${entity}.${field}`, name] as const]
      }),
    ),
  )

/** Gives fields the names that they have in the ERP; a field can be left out. */
export function MappingDialog({ connection, onClose }: { connection: Schemas['ErpConnection']; onClose(): void }) {
  const t = useTranslations()
  const [entity, setEntity] = useState<Entity>('work_order')
  const [mapping, setMapping] = useState(() => byEntity(connection.field_mapping))
  const params = { path: { connection_id: connection.id } }
  const [change] = useRecordChange(connection, () => unwrap(api.GET('/erp/connections/{connection_id}', { params })))
  const save = useMutation({
    mutationFn: () =>
      change({ field_mapping: { ...mapping } }, (body, header) =>
        unwrap(api.PATCH('/erp/connections/{connection_id}', { params: { ...params, header }, body })),
      ),
    onSuccess: () => {
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const faults = useFieldFaults(save.error)
  const set = (key: string, name: string | undefined) =>
    setMapping((known) => {
      const { [key]: _, ...others } = known
      return name === undefined ? others : { ...others, [key]: name }
    })
  return (
    <FormDialog
      title={t('erp.mapping')}
      draftKey={connection.id}
      saving={save}
      submit={t('common.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      width="max-w-2xl"
    >
      <p className="text-soft">{t('erp.mappingText')}</p>
      <SelectField
        label={t('erp.entity')}
        value={entity}
        onChange={({ target }) => setEntity(target.value as Entity)}
        options={ENTITIES.map((it) => [it, t(`erp.entities.${it}`)] as const)}
      />
      <ul className="flex flex-col gap-3">
        {FIELDS[entity].map((field) => {
          const key = `${entity}.${field}`
          const isLeftOut = mapping[key] === ''
          return (
            <li key={key} className="grid items-center gap-x-3 gap-y-1 sm:grid-cols-[1fr_1fr_auto]">
              <code className={field.includes('.') ? 'pl-4' : ''}>{field}</code>
              <TextField
                label={t('erp.nameOf', { field })}
                isLabelHidden
                maxLength={128}
                pattern="[A-Za-z_][A-Za-z0-9_]*"
                placeholder={t(isLeftOut ? 'erp.leftOut' : 'erp.usualName')}
                disabled={isLeftOut}
                value={mapping[key] ?? ''}
                onChange={({ target }) => set(key, target.value.trim() || undefined)}
                fault={faults[`field_mapping.${key}`]}
              />
              {isRequired(entity, field) ? (
                <span className="hidden sm:block" />
              ) : (
                <CheckField
                  label={t('erp.leaveOut')}
                  aria-label={t('erp.leaveOutOf', { field })}
                  checked={isLeftOut}
                  onChange={({ target }) => set(key, target.checked ? '' : undefined)}
                />
              )}
            </li>
          )
        })}
      </ul>
    </FormDialog>
  )
}
