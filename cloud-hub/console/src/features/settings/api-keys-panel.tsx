import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { CopyText } from '../../kit/copy-text.tsx'
import { TextField } from '../../kit/field.tsx'
import { Panel, SkeletonRows } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Table } from '../../kit/table.tsx'

/** Keys with which programs send readings. */
export function ApiKeysPanel() {
  const t = useTranslations()
  const format = useFormat()
  const faultText = useFaultText()
  const client = useQueryClient()
  const [deleting, setDeleting] = useState<Schemas['ApiKey'] | null>(null)
  const { data } = useQuery(apiQuery('/api-keys'))
  const refresh = () => client.invalidateQueries({ queryKey: ['/api-keys'] })
  const create = useMutation({
    mutationFn: (name: string) => unwrap(api.POST('/api-keys', { body: { name } })),
    onSuccess: refresh,
  })
  return (
    <Panel title={t('settings.apiKeys')}>
      <form
        className="flex flex-wrap items-end gap-3 border-b border-line p-4"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate(String(new FormData(event.currentTarget).get('name')).trim())
          event.currentTarget.reset()
        }}
      >
        <TextField label={t('settings.keyName')} name="name" required maxLength={100} className="min-w-60" />
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
      {!data ? (
        <SkeletonRows rows={2} label={t('settings.apiKeys')} />
      ) : data.length === 0 ? (
        <p className="p-4 text-soft">{t('settings.noKeys')}</p>
      ) : (
        <Table label={t('settings.apiKeys')}>
          <thead>
            <tr>
              <th>{t('settings.keyName')}</th>
              <th>{t('settings.keyPrefix')}</th>
              <th>{t('settings.lastUsed')}</th>
              <th>
                <span className="sr-only">{t('common.delete')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((key) => (
              <tr key={key.id}>
                <td className="font-medium">{key.name}</td>
                <td>
                  <code>{key.key_prefix}</code>
                </td>
                <td>{key.last_used_at ? format.dateTime(key.last_used_at) : t('settings.neverUsed')}</td>
                <td className="text-right">
                  <Button look="quiet" aria-label={t('settings.deleteKey', { name: key.name })} onPress={() => setDeleting(key)}>
                    {t('common.delete')}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {deleting ? (
        <ConfirmDialog
          title={t('settings.deleteKey', { name: deleting.name })}
          text={t('settings.deleteKeyText')}
          confirm={t('common.delete')}
          run={() => unwrap(api.DELETE('/settings/api-keys/{key_id}', { params: { path: { key_id: deleting.id } } }))}
          onDone={refresh}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </Panel>
  )
}
