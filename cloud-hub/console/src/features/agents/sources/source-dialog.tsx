import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../../api/client.ts'
import {
  INGEST_SOURCE_OPCUA_CONFIG_SECURITY_MODE,
  INGEST_SOURCE_OPCUA_CONFIG_SECURITY_POLICY,
  INGEST_SOURCE_PUT_PROTOCOL,
} from '../../../api/enums.ts'
import {
  INGEST_SOURCE_PUT_HOST_MAX_LENGTH,
  INGEST_SOURCE_PUT_NAME_MAX_LENGTH,
  INGEST_SOURCE_PUT_POLL_INTERVAL_SECONDS_MAX,
  INGEST_SOURCE_PUT_POLL_INTERVAL_SECONDS_MIN,
  INGEST_SOURCE_PUT_PORT_MAX,
  INGEST_SOURCE_PUT_PORT_MIN,
} from '../../../api/limits.ts'
import { MachineField } from '../../../app/machine-field.tsx'
import { useFieldFaults } from '../../../i18n/fault-text.ts'
import { CheckField, SelectField, TextField } from '../../../kit/field.tsx'
import { FormDialog } from '../../../kit/form-dialog.tsx'
import { formText } from '../../../kit/form-text.ts'
import { useRecordChange } from '../../../kit/record-change.ts'
import { toast } from '../../../kit/toast.tsx'
import { ClockFields, clockConfig } from './clock-fields.tsx'
import { ModbusFields, modbusConfig } from './modbus-fields.tsx'
import { findSource, type Protocol, type Source, toConfig, toSource } from './source.ts'

const PORTS: Record<Protocol, number> = { opcua: 4840, modbus: 502 }
/** A mode and the policies that go with it; the first is what servers of today have. */
const POLICIES = INGEST_SOURCE_OPCUA_CONFIG_SECURITY_POLICY.filter((it) => it !== 'None')

/** Where a device is and how it is reached. Its tags are chosen afterwards. */
export function SourceDialog({
  agentId,
  source,
  onCreated,
  onClose,
}: {
  agentId: string
  source?: Source
  onCreated?(source: Source): void
  onClose(): void
}) {
  const t = useTranslations('sources')
  const common = useTranslations('common')
  const [machine, setMachine] = useState(source?.machine_id ?? '')
  const [protocol, setProtocol] = useState<Protocol>(source?.protocol ?? 'opcua')
  const [mode, setMode] = useState(source?.config.security_mode ?? 'None')
  const known = source?.config
  const [change] = useRecordChange(source, findSource)
  const save = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const text = formText(form)
      const isSecure = mode !== 'None'
      const security = {
        endpoint_path: text('path') || null,
        ...clockConfig(text),
        security_mode: mode,
        security_policy: isSecure ? text('policy') : 'None',
        username: (mode === 'SignAndEncrypt' && text('username')) || null,
        // an empty field keeps the password that the hub has, as long as there is a user
        ...(mode !== 'SignAndEncrypt' || !text('username')
          ? { password: null }
          : text('password')
            ? { password: text('password') }
            : {}),
      }
      const config = protocol === 'opcua' ? security : modbusConfig(text)
      const body = {
        machine_id: machine,
        name: text('name'),
        protocol,
        host: text('host'),
        port: Number(text('port')),
        poll_interval_seconds: Number(text('interval')),
        is_active: new FormData(form).has('active'),
        config: toConfig({
          agent_id: agentId,
          ...(source ? config : Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null))),
        }),
      }
      if (!source) return unwrap(api.POST('/ingest-sources', { body }))
      const path = { source_id: source.id }
      return change(body, (body, header) => unwrap(api.PUT('/ingest-sources/{source_id}', { params: { path, header }, body })))
    },
    onSuccess: async (saved) => {
      toast('healthy', common('saved'))
      onClose()
      onCreated?.(toSource(saved))
    },
  })
  const fields = useFieldFaults(save.error)
  const optional = (label: string) => `${label} (${common('optional')})`
  return (
    <FormDialog
      title={t(source ? 'editTitle' : 'add')}
      draftKey={source?.id}
      width="max-w-xl"
      saving={save}
      submit={source ? common('save') : t('next')}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <MachineField label={t('machine')} value={machine} onChange={setMachine} fault={fields.machine_id} />
        <TextField
          label={t('name')}
          name="name"
          required
          maxLength={INGEST_SOURCE_PUT_NAME_MAX_LENGTH}
          defaultValue={source?.name}
          fault={fields.name}
        />
        <SelectField
          label={t('protocol')}
          value={protocol}
          onChange={({ target }) => setProtocol(target.value as Protocol)}
          options={INGEST_SOURCE_PUT_PROTOCOL.map((it) => [it, t(`protocols.${it}`)] as const)}
        />
        <TextField
          label={t('interval')}
          name="interval"
          type="number"
          min={INGEST_SOURCE_PUT_POLL_INTERVAL_SECONDS_MIN}
          max={INGEST_SOURCE_PUT_POLL_INTERVAL_SECONDS_MAX}
          required
          defaultValue={source?.poll_interval_seconds ?? 30}
          fault={fields.poll_interval_seconds}
        />
        <TextField
          label={t('host')}
          name="host"
          required
          maxLength={INGEST_SOURCE_PUT_HOST_MAX_LENGTH}
          defaultValue={source?.host}
          hint={t('hostHint')}
          fault={fields.host}
        />
        <TextField
          // the usual port of the protocol
          key={protocol}
          label={t('port')}
          name="port"
          type="number"
          min={INGEST_SOURCE_PUT_PORT_MIN}
          max={INGEST_SOURCE_PUT_PORT_MAX}
          required
          defaultValue={source?.protocol === protocol ? source.port : PORTS[protocol]}
          fault={fields.port}
        />
        {protocol === 'modbus' ? (
          <ModbusFields config={known} fields={fields} />
        ) : (
          <>
            <TextField
              label={optional(t('path'))}
              name="path"
              maxLength={1_000}
              defaultValue={known?.endpoint_path ?? ''}
              hint={t('pathHint')}
              fault={fields['config.endpoint_path']}
            />
            <ClockFields config={known} fields={fields} />
            <SelectField
              label={t('security')}
              value={mode}
              onChange={({ target }) => setMode(target.value)}
              options={INGEST_SOURCE_OPCUA_CONFIG_SECURITY_MODE.map((it) => [it, t(`modes.${it}`)] as const)}
              fault={fields['config.security_mode']}
            />
            {mode === 'None' ? null : (
              <SelectField
                label={t('policy')}
                name="policy"
                defaultValue={known?.security_policy === 'None' ? POLICIES[0] : known?.security_policy}
                options={POLICIES.map((it) => [it, it] as const)}
                fault={fields['config.security_policy']}
              />
            )}
            {mode === 'SignAndEncrypt' ? (
              <>
                <TextField
                  label={optional(t('username'))}
                  name="username"
                  autoComplete="off"
                  maxLength={255}
                  defaultValue={known?.username ?? ''}
                  fault={fields['config.username']}
                />
                <TextField
                  label={optional(t('password'))}
                  name="password"
                  type="password"
                  autoComplete="new-password"
                  maxLength={1_000}
                  hint={known?.password ? t('passwordHint') : undefined}
                  fault={fields['config.password']}
                />
              </>
            ) : null}
          </>
        )}
      </div>
      <CheckField label={t('active')} name="active" defaultChecked={source?.is_active ?? true} />
    </FormDialog>
  )
}
