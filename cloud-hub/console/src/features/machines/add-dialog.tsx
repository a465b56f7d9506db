import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Notice } from '../../kit/notice.tsx'

/** Creates one machine, and opens its page. */
export function AddDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: (body: Schemas['MachineCreate']) => unwrap(api.POST('/machines', { body })),
    onSuccess: async ({ id }) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['/machines'] }),
        client.invalidateQueries({ queryKey: ['/fleet/overview'] }),
      ])
      onClose()
      navigate({ to: '/machines/$machineId', params: { machineId: id } })
    },
  })
  const fields = isApiError(add.error) ? add.error.fields : {}
  return (
    <Dialog title={t('machines.add')} onClose={onClose} isBusy={add.isPending}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const values = new FormData(event.currentTarget)
          const text = (name: string) => String(values.get(name) ?? '').trim()
          add.mutate({
            name: text('name'),
            machine_identifier: text('machine_identifier'),
            protocol: text('protocol') as Schemas['MachineCreate']['protocol'],
            location: text('location') || null,
          })
        }}
      >
        {add.error ? <Notice tone="critical">{faultText(add.error)}</Notice> : null}
        <TextField label={t('machines.name')} name="name" required maxLength={200} fault={fields.name} />
        <TextField
          label={t('machines.identifier')}
          name="machine_identifier"
          required
          maxLength={100}
          hint={t('machines.identifierHint')}
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
        <TextField
          label={`${t('machines.location')} (${t('common.optional')})`}
          name="location"
          maxLength={200}
          fault={fields.location}
        />
        <DialogActions>
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" isPending={add.isPending}>
            {t('machines.add')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
