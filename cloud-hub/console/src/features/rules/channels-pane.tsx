import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText, useReportedFault } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Empty, Panel, Panels } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { CHANNEL_TYPES, type ChannelType } from './channel-types.ts'
import { Deliveries } from './deliveries.tsx'

const ChannelDialog = lazy(() => import('./channel-dialog.tsx').then((it) => ({ default: it.ChannelDialog })))

type Channel = Schemas['NotificationChannel']

/** Where alerts go, with a test and every attempt. */
export function ChannelsPane() {
  const t = useTranslations()
  const faultText = useFaultText()
  const reportedFault = useReportedFault()
  const { may, user } = useMe()
  const [edited, setEdited] = useState<Channel | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Channel | null>(null)
  const [shown, setShown] = useState<Channel | null>(null)
  const query = useQuery(apiQuery('/notification-channels'))
  const test = useMutation({
    mutationFn: (id: string) =>
      unwrap(api.POST('/notification-channels/{channel_id}/test', { params: { path: { channel_id: id } } })),
    onSuccess: ({ success, message, fault }) => {
      const reason = reportedFault(fault, message)
      if (!success) toast('critical', t('rules.testFailed', { reason }))
      else toast('healthy', fault ? t('rules.testAcceptedBut', { reason }) : t('rules.testAccepted'))
    },
    onError: (error) => toast('critical', faultText(error)),
  })
  const change = useMutation({
    mutationFn: ({ id, body }: { id: string; body: Schemas['NotificationChannelPut'] }) =>
      unwrap(api.PUT('/notification-channels/{channel_id}', { params: { path: { channel_id: id } }, body })),
    onError: (error) => toast('critical', faultText(error)),
  })
  // others may change only the channels that they made
  const mayChange = (channel: Channel) => may('admin') || (may('operator') && channel.created_by === user.id)
  return (
    <Panels>
      <Panel
        title={t('rules.tabs.channels')}
        actions={
          may('operator') ? (
            <Button look="primary" onPress={() => setEdited('new')}>
              {t('rules.addChannel')}
            </Button>
          ) : null
        }
      >
        <Loaded query={query} label={t('rules.tabs.channels')}>
          {(data) =>
            data.length === 0 ? (
              <Empty title={t('rules.noChannels')}>{t('rules.noChannelsText')}</Empty>
            ) : (
              <Table label={t('rules.tabs.channels')}>
                <thead>
                  <tr>
                    <th>{t('rules.name')}</th>
                    <th>{t('rules.type')}</th>
                    <th>{t('rules.onAlert')}</th>
                    <th>{t('rules.state')}</th>
                    <th>
                      <span className="sr-only">{t('common.edit')}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.map((channel) => (
                    <tr key={channel.id}>
                      <td className="font-medium">{channel.name}</td>
                      <td>{CHANNEL_TYPES[channel.channel_type as ChannelType]?.label ?? channel.channel_type}</td>
                      <td>{t(channel.notify_on_alert ? 'rules.everyAlert' : 'rules.onlyEscalation')}</td>
                      <td>{t(channel.is_active ? 'rules.active' : 'rules.inactive')}</td>
                      <td>
                        <span className="flex flex-wrap justify-end gap-2">
                          <Button
                            look="quiet"
                            aria-expanded={shown?.id === channel.id}
                            onPress={() => setShown(shown?.id === channel.id ? null : channel)}
                          >
                            {t('rules.deliveries')}
                          </Button>
                          {mayChange(channel) ? (
                            <>
                              <Button look="quiet" onPress={() => setEdited(channel)}>
                                {t('common.edit')}
                              </Button>
                              <Button
                                look="quiet"
                                isPending={test.isPending && test.variables === channel.id}
                                onPress={() => test.mutate(channel.id)}
                              >
                                {t('rules.sendTest')}
                              </Button>
                              <Button
                                look="quiet"
                                onPress={() => change.mutate({ id: channel.id, body: { is_active: !channel.is_active } })}
                              >
                                {t(channel.is_active ? 'rules.deactivate' : 'rules.activate')}
                              </Button>
                              <Button look="quiet" onPress={() => setDeleting(channel)}>
                                {t('common.delete')}
                              </Button>
                            </>
                          ) : null}
                        </span>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </Table>
            )
          }
        </Loaded>
      </Panel>
      {shown ? <Deliveries channel={shown} /> : null}
      <Suspense>
        {edited ? <ChannelDialog channel={edited === 'new' ? null : edited} onClose={() => setEdited(null)} /> : null}
      </Suspense>
      {deleting ? (
        <ConfirmDialog
          title={t('rules.deleteTitle', { name: deleting.name })}
          text={t('rules.deleteChannelText')}
          confirm={t('common.delete')}
          run={() => unwrap(api.DELETE('/notification-channels/{channel_id}', { params: { path: { channel_id: deleting.id } } }))}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </Panels>
  )
}
