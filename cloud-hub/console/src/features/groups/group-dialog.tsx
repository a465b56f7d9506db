import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { MACHINE_GROUP_CREATE_GROUP_TYPE } from '../../api/enums.ts'
import { MACHINE_GROUP_CREATE_DESCRIPTION_MAX_LENGTH, MACHINE_GROUP_CREATE_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { flattenGroups, groupOptions } from '../../app/machine-groups.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { zoneOptions } from '../../i18n/zone-options.ts'
import { CheckField, SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { toast } from '../../kit/toast.tsx'

const TYPES = MACHINE_GROUP_CREATE_GROUP_TYPE
const FIRST_COLOUR = '#0f5c8c'

/** Creates or changes a group of machines. */
export function GroupDialog({
  group,
  tree,
  onClose,
}: {
  group: Schemas['MachineGroupNode'] | null
  tree: readonly Schemas['MachineGroupNode'][]
  onClose(): void
}) {
  const t = useTranslations()
  const [type, setType] = useState(group?.group_type ?? 'line')
  const [hasColour, setHasColour] = useState(Boolean(group?.color))
  const save = useMutation({
    mutationFn: (body: Schemas['MachineGroupCreate']) =>
      group
        ? unwrap(api.PUT('/machine-groups/{group_id}', { params: { path: { group_id: group.id } }, body }))
        : unwrap(api.POST('/machine-groups', { body })),
    onSuccess: () => {
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  // a group cannot be below itself
  const below = new Set(group ? flattenGroups([group]).map((it) => it.group.id) : [])
  return (
    <FormDialog
      title={group ? t('groups.editOf', { name: group.name }) : t('groups.add')}
      draftKey={group?.id}
      saving={save}
      submit={t('common.save')}
      onSubmit={(form) => {
        const text = formText(form)
        save.mutate({
          name: text('group_name'),
          group_type: type,
          time_zone: (type === 'site' && text('time_zone')) || null,
          parent_id: text('parent_id') || null,
          description: text('description') || null,
          color: hasColour ? text('color') : null,
        })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('groups.name')}
        name="group_name"
        required
        maxLength={MACHINE_GROUP_CREATE_NAME_MAX_LENGTH}
        defaultValue={group?.name}
        fault={fields.name}
      />
      <SelectField
        label={t('groups.type')}
        name="group_type"
        value={type}
        onChange={({ target }) => setType(target.value as typeof type)}
        hint={t('groups.typeHint')}
        options={TYPES.map((type) => [type, t(`groups.types.${type}`)] as const)}
      />
      {type === 'site' ? (
        <SelectField
          label={t('groups.timeZone')}
          hint={t('shifts.timeZoneHint')}
          name="time_zone"
          defaultValue={group?.time_zone ?? ''}
          fault={fields.time_zone}
          options={[['', t('groups.plantZone')], ...zoneOptions(...(group?.time_zone ? [group.time_zone] : []))]}
        />
      ) : null}
      <SelectField
        label={t('groups.parent')}
        name="parent_id"
        defaultValue={group?.parent_id ?? ''}
        fault={fields.parent_id}
        options={[['', t('groups.noParent')], ...groupOptions(tree).filter(([id]) => !below.has(id))]}
      />
      <TextArea
        label={`${t('groups.description')} (${t('common.optional')})`}
        name="description"
        rows={2}
        maxLength={MACHINE_GROUP_CREATE_DESCRIPTION_MAX_LENGTH}
        defaultValue={group?.description ?? ''}
        fault={fields.description}
      />
      <div className="flex flex-wrap items-center gap-4">
        <CheckField label={t('groups.hasColour')} checked={hasColour} onChange={({ target }) => setHasColour(target.checked)} />
        {hasColour ? (
          <TextField
            label={t('groups.colour')}
            isLabelHidden
            name="color"
            type="color"
            defaultValue={group?.color ?? FIRST_COLOUR}
            className="w-16"
            fault={fields.color}
          />
        ) : null}
      </div>
    </FormDialog>
  )
}
