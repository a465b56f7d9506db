import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Table } from '../../kit/table.tsx'

type Key = Schemas['EnrolmentKey']

/** The keys of the last weeks: which agent used which, and a way to take an unused one back. */
export function EnrolmentKeys() {
  const t = useTranslations('enrol')
  const common = useTranslations('common')
  const format = useFormat()
  const client = useQueryClient()
  const [deleting, setDeleting] = useState<Key | null>(null)
  const { data } = useQuery(apiQuery('/enrolment-keys'))
  if (!data || data.length === 0) return null
  const stateOf = ({ status, used_at, used_by_agent, expires_at }: Key) =>
    status === 'used'
      ? t('usedBy', { agent: used_by_agent ?? '–', at: used_at ? format.dateTime(used_at) : '–' })
      : t(status === 'unused' ? 'unusedUntil' : 'expiredAt', { at: format.dateTime(expires_at) })
  return (
    <Panel title={t('keys')}>
      <Table label={t('keys')}>
        <thead>
          <tr>
            <th>{t('name')}</th>
            <th>{t('keyPrefix')}</th>
            <th>{t('keyState')}</th>
            <th>
              <span className="sr-only">{common('delete')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.map((key) => (
            <tr key={key.id}>
              <td className="font-medium">{key.name}</td>
              <td>
                <code className="text-sm">{key.key_prefix}</code>
              </td>
              <td>{stateOf(key)}</td>
              <td className="text-right">
                <Button look="quiet" aria-label={t('deleteKey', { name: key.name })} onPress={() => setDeleting(key)}>
                  {common('delete')}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {deleting ? (
        <ConfirmDialog
          title={t('deleteKey', { name: deleting.name })}
          text={t(deleting.status === 'used' ? 'deleteUsedText' : 'deleteKeyText')}
          confirm={common('delete')}
          run={() =>
            unwrap(api.DELETE('/enrolment-keys/{enrolment_key_id}', { params: { path: { enrolment_key_id: deleting.id } } }))
          }
          onDone={() => client.invalidateQueries({ queryKey: ['/enrolment-keys'] })}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </Panel>
  )
}
