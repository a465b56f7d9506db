import { PROPOSED_UNITS } from '@haltless/protocol/units'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { TAG_MAPPING_PATCH_STANDARDIZED_NAME_MAX_LENGTH, TAG_MAPPING_PATCH_UNIT_MAX_LENGTH } from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'

type TagMapping = Schemas['TagMapping']

/** Corrects metric and unit of a mapping, and confirms it where it is not. */
export function MappingDialog({ mapping, onClose }: { mapping: TagMapping; onClose(): void }) {
  const t = useTranslations()
  const id = useId()
  const [name, setName] = useState(mapping.standardized_name)
  const [unit, setUnit] = useState(mapping.unit)
  const latest = apiQuery('/machines/{machine_id}/readings/latest', { params: { path: { machine_id: mapping.machine_id } } })
  const { data } = useQuery(latest)
  const params = { path: { mapping_id: mapping.id } }
  const [change] = useRecordChange(mapping, async ({ id }) => {
    const path = { machine_id: mapping.machine_id }
    return (await unwrap(api.GET('/machines/{machine_id}/tag-mappings', { params: { path } }))).find((it) => it.id === id)
  })
  const save = useMutation({
    mutationFn: async (isConfirmed: boolean) => {
      const body = { standardized_name: name.trim(), unit: unit.trim() }
      await change(body, (body, header) =>
        unwrap(api.PATCH('/tag-mappings/{mapping_id}', { params: { ...params, header }, body })),
      )
      if (isConfirmed && !mapping.is_confirmed) await unwrap(api.POST('/tag-mappings/{mapping_id}/confirm', { params }))
    },
    onSuccess: () => {
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t('tags.editOf', { tag: mapping.raw_tag })}
      draftKey={mapping.id}
      saving={save}
      submit={t(mapping.is_confirmed ? 'common.save' : 'tags.saveConfirm')}
      actions={
        mapping.is_confirmed ? null : (
          <Button isPending={save.isPending && !save.variables} onPress={() => save.mutate(false)}>
            {t('tags.saveOpen')}
          </Button>
        )
      }
      onSubmit={() => save.mutate(true)}
      onClose={onClose}
    >
      <TextField
        label={t('tags.metric')}
        value={name}
        onChange={({ target }) => setName(target.value)}
        list={`${id}-metrics`}
        required
        maxLength={TAG_MAPPING_PATCH_STANDARDIZED_NAME_MAX_LENGTH}
        hint={t('tags.metricHint')}
        fault={fields.standardized_name}
      />
      <TextField
        label={t('tags.unit')}
        value={unit}
        onChange={({ target }) => setUnit(target.value)}
        list={`${id}-units`}
        required
        maxLength={TAG_MAPPING_PATCH_UNIT_MAX_LENGTH}
        hint={t('tags.unitHint')}
        fault={fields.unit}
      />
      <Options id={`${id}-metrics`} values={Object.keys(data?.readings ?? {})} />
      <Options id={`${id}-units`} values={PROPOSED_UNITS} />
    </FormDialog>
  )
}

function Options({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  )
}
