import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, unwrap } from '../../api/client.ts'
import { API_KEY_CREATE_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { KeysTable } from '../../app/keys-table.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { CopyText } from '../../kit/copy-text.tsx'
import { TextField } from '../../kit/field.tsx'
import { formText } from '../../kit/form-text.ts'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'

/** Keys with which programs send readings. */
export function ApiKeysPanel() {
  const t = useTranslations()
  const format = useFormat()
  const faultText = useFaultText()
  // the hub lists revoked keys too: they open nothing any more
  const query = useQuery({ ...apiQuery('/api-keys'), select: (keys) => keys.filter(({ is_active }) => is_active) })
  const create = useMutation({
    mutationFn: (name: string) => unwrap(api.POST('/api-keys', { body: { name } })),
  })
  return (
    <Panel title={t('settings.apiKeys')}>
      <form
        className="flex flex-wrap items-end gap-3 border-b border-line p-4"
        onSubmit={(event) => {
          event.preventDefault()
          const form = event.currentTarget
          create.mutate(formText(form)('name'), { onSuccess: () => form.reset() })
        }}
      >
        <TextField
          label={t('settings.keyName')}
          name="name"
          required
          maxLength={API_KEY_CREATE_NAME_MAX_LENGTH}
          className="min-w-60"
        />
        <Button type="submit" isPending={create.isPending}>
          {t('settings.createKey')}
        </Button>
        {create.error ? <Notice tone="critical">{faultText(create.error)}</Notice> : null}
      </form>
      {create.data ? (
        <div className="flex flex-col gap-2 border-b border-line p-4">
          <Notice tone="warning">{t('settings.keyOnce')}</Notice>
          <CopyText text={create.data.key} />
        </div>
      ) : null}
      <Loaded query={query} label={t('settings.apiKeys')} rows={2}>
        {(data) =>
          data.length === 0 ? (
            <p className="p-4 text-soft">{t('settings.noKeys')}</p>
          ) : (
            <KeysTable
              label={t('settings.apiKeys')}
              keys={data}
              heads={{ name: t('settings.keyName'), prefix: t('settings.keyPrefix'), state: t('settings.lastUsed') }}
              stateOf={({ last_used_at }) => (last_used_at ? format.dateTime(last_used_at) : t('settings.neverUsed'))}
              deleteTitle={({ name }) => t('settings.deleteKey', { name })}
              deleteText={() => t('settings.deleteKeyText')}
              remove={async ({ id }) => {
                await unwrap(api.DELETE('/settings/api-keys/{key_id}', { params: { path: { key_id: id } } }))
                if (create.data?.id === id) create.reset()
              }}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}
