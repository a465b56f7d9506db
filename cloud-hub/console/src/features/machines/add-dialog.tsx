import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { MACHINE_CREATE_MACHINE_IDENTIFIER_MAX_LENGTH, MACHINE_CREATE_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { DetailFields, detailsIn } from './detail-fields.tsx'
import { identifierOf } from './identifier.ts'

/** Creates one machine, and opens its page. */
export function AddDialog({
  name = '',
  onAdded,
  onClose,
}: {
  /** what it is called at first */
  name?: string
  /** instead of opening its page */
  onAdded?: ((machine: Schemas['Machine']) => void) | undefined
  onClose(): void
}) {
  const t = useTranslations()
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: (body: Schemas['MachineCreate']) => unwrap(api.POST('/machines', { body })),
    onSuccess: (machine) => {
      const { id } = machine
      onClose()
      if (onAdded) onAdded(machine)
      else navigate({ to: '/machines/$machineId', params: { machineId: id } })
    },
  })
  const fields = useFieldFaults(add.error)
  return (
    <FormDialog
      title={t('machines.add')}
      saving={add}
      submit={t('machines.add')}
      onSubmit={(form) => {
        const text = formText(form)
        add.mutate({
          name: text('name'),
          machine_identifier: text('machine_identifier'),
          protocol: text('protocol') as Schemas['MachineCreate']['protocol'],
          ...detailsIn(text),
        })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('machines.name')}
        name="name"
        required
        maxLength={MACHINE_CREATE_NAME_MAX_LENGTH}
        defaultValue={name}
        fault={fields.name}
        onBlur={({ target }) => {
          const field = target.form?.elements.namedItem('machine_identifier')
          if (field instanceof HTMLInputElement && field.value === '') field.value = identifierOf(target.value)
        }}
      />
      <TextField
        label={t('machines.identifier')}
        name="machine_identifier"
        required
        maxLength={MACHINE_CREATE_MACHINE_IDENTIFIER_MAX_LENGTH}
        hint={t('machines.identifierHint')}
        defaultValue={identifierOf(name)}
        fault={fields.machine_identifier}
      />
      <SelectField
        label={t('machines.protocol')}
        name="protocol"
        options={[
          ['opc_ua', 'OPC UA'],
          ['modbus_tcp', 'Modbus TCP'],
          ['csv', 'CSV'],
          ['json', 'JSON'],
        ]}
      />
      <DetailFields faults={fields} />
    </FormDialog>
  )
}
