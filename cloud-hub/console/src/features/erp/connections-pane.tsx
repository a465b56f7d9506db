import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'
import { ENTITIES, PROVIDERS, TOGGLES } from './providers.ts'
import { SyncStatus } from './sync-status.tsx'

const ConnectionDialog = lazy(() => import('./connection-dialog.tsx').then((it) => ({ default: it.ConnectionDialog })))

/** All ERP connections with how their last exchange ended. */
export function ConnectionsPane() {
  const t = useTranslations('erp')
  const format = useFormat()
  const navigate = useNavigate()
  const { may } = useMe()
  const [isAdding, setAdding] = useState(false)
  const connections = useQuery(apiQuery('/erp/connections'))
  const automatic = (connection: Schemas['ErpConnection']) =>
    ENTITIES.filter((entity) => connection[TOGGLES[entity]]).map((entity) => t(`entities.${entity}`))
  return (
    <Panel
      title={t('tabs.connections')}
      actions={
        may('admin') ? (
          <Button look="primary" onPress={() => setAdding(true)}>
            {t('add')}
          </Button>
        ) : null
      }
    >
      <Loaded query={connections} label={t('tabs.connections')} rows={3}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('none')}>{t(may('admin') ? 'noneText' : 'noneOther')}</Empty>
          ) : (
            <Table label={t('tabs.connections')}>
              <thead>
                <tr>
                  <th>{t('name')}</th>
                  <th>{t('automatic')}</th>
                  <th>{t('lastSync')}</th>
                  <th>{t('outcome')}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((connection) => (
                  <tr key={connection.id}>
                    <td className="min-w-44">
                      <Link to="/erp/$connectionId" params={{ connectionId: connection.id }} className="font-medium">
                        {connection.name}
                      </Link>
                      <span className="block text-sm text-soft">{PROVIDERS[connection.provider].label}</span>
                    </td>
                    <td className="min-w-40">
                      {connection.is_active ? automatic(connection).join(', ') || t('byHand') : t('inactive')}
                    </td>
                    <td className="whitespace-nowrap">
                      {connection.last_sync_at ? format.ago(connection.last_sync_at) : t('never')}
                    </td>
                    <td>{connection.last_sync_status ? <SyncStatus status={connection.last_sync_status} /> : '–'}</td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      <Suspense>
        {isAdding ? (
          <ConnectionDialog
            connection={null}
            onDone={({ id }) => navigate({ to: '/erp/$connectionId', params: { connectionId: id } })}
            onClose={() => setAdding(false)}
          />
        ) : null}
      </Suspense>
    </Panel>
  )
}
