import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, unwrap } from '../../../api/client.ts'
import { MachineName } from '../../../app/machine-name.tsx'
import { useFaultText, useReportedFault } from '../../../i18n/fault-text.ts'
import { useFormat } from '../../../i18n/format.tsx'
import { Button } from '../../../kit/button.tsx'
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx'
import { Empty, Panel } from '../../../kit/layout.tsx'
import { Loaded } from '../../../kit/loaded.tsx'
import { Table } from '../../../kit/table.tsx'
import { toast } from '../../../kit/toast.tsx'
import { type Source, toSource } from './source.ts'
import { SourceDialog } from './source-dialog.tsx'
import { TagsDialog } from './tags-dialog.tsx'

const REFRESH_MS = 5_000

/** The polling sources of an agent that are configured in the cloud: created, changed, tested and deleted here. */
export function SourcesPanel({ agentId }: { agentId: string }) {
  const t = useTranslations('sources')
  const [dialog, setDialog] = useState<{ kind: 'create' } | { kind: 'edit' | 'tags' | 'delete'; source: Source } | null>(null)
  const query = useQuery({ ...apiQuery('/ingest-sources'), refetchInterval: REFRESH_MS })
  const close = () => setDialog(null)
  return (
    <Panel
      title={t('title')}
      className="lg:col-span-2"
      actions={<Button onPress={() => setDialog({ kind: 'create' })}>{t('add')}</Button>}
    >
      <Loaded query={query} label={t('title')} rows={2}>
        {(all) => {
          const sources = all.map(toSource).filter(({ config }) => config.agent_id === agentId)
          return sources.length === 0 ? (
            <Empty title={t('none')}>{t('noneText')}</Empty>
          ) : (
            <Table label={t('title')}>
              <thead>
                <tr>
                  <th>{t('name')}</th>
                  <th>{t('machine')}</th>
                  <th>{t('address')}</th>
                  <th className="text-right">{t('tags')}</th>
                  <th>{t('polled')}</th>
                  <th>{t('state')}</th>
                  <th>
                    <span className="sr-only">{t('edit')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {sources.map((source) => (
                  <SourceRow key={source.id} source={source} onOpen={(kind) => setDialog({ kind, source })} />
                ))}
              </tbody>
            </Table>
          )
        }}
      </Loaded>
      {dialog?.kind === 'create' ? (
        <SourceDialog agentId={agentId} onCreated={(source) => setDialog({ kind: 'tags', source })} onClose={close} />
      ) : null}
      {dialog?.kind === 'edit' ? <SourceDialog agentId={agentId} source={dialog.source} onClose={close} /> : null}
      {dialog?.kind === 'tags' ? <TagsDialog source={dialog.source} onClose={close} /> : null}
      {dialog?.kind === 'delete' ? (
        <ConfirmDialog
          title={t('deleteTitle', { name: dialog.source.name })}
          text={t('deleteText')}
          confirm={t('delete')}
          run={() => unwrap(api.DELETE('/ingest-sources/{source_id}', { params: { path: { source_id: dialog.source.id } } }))}
          onClose={close}
        />
      ) : null}
    </Panel>
  )
}

function SourceRow({ source, onOpen }: { source: Source; onOpen(kind: 'edit' | 'tags' | 'delete'): void }) {
  const t = useTranslations('sources')
  const format = useFormat()
  const faultText = useFaultText()
  const reported = useReportedFault()
  const test = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/ingest-sources/{source_id}/test-connection', { params: { path: { source_id: source.id } } })),
    onSuccess: ({ success, message, fault, polled_at }) => {
      const agent = source.config.agent_id
      const isByAgent = success && agent && polled_at
      const text = isByAgent ? t('polledByAgent', { agent, at: format.dateTime(polled_at) }) : reported(fault, message)
      toast(success ? 'healthy' : 'critical', text)
    },
    onError: (error) => toast('critical', faultText(error)),
  })
  const { config, name } = source
  const tags = (config.nodes ?? config.registers ?? []).length
  const stateText = () => {
    if (!source.is_active) return t('paused')
    return source.last_error ? reported(source.last_fault, source.last_error) : t(tags === 0 ? 'noTags' : 'noFaults')
  }
  return (
    <tr>
      <td className="font-medium">{name}</td>
      <td>
        <MachineName id={source.machine_id} />
      </td>
      <td>
        {t(`protocols.${source.protocol}`)}{' '}
        <code className="whitespace-nowrap">
          {source.host}:{source.port}
        </code>
      </td>
      <td className="tabular text-right">{format.count(tags)}</td>
      <td className="whitespace-nowrap">{source.last_polled_at ? format.ago(source.last_polled_at) : '–'}</td>
      <td className={`min-w-52 ${source.last_error ? 'text-critical' : ''}`}>{stateText()}</td>
      <td className="lg:min-w-52">
        <span className="flex flex-wrap justify-end gap-1 2xl:flex-nowrap">
          <Button look="quiet" aria-label={t('tagsOf', { name })} onPress={() => onOpen('tags')}>
            {t('tags')}
          </Button>
          <Button look="quiet" aria-label={t('testOf', { name })} isPending={test.isPending} onPress={() => test.mutate()}>
            {t('test')}
          </Button>
          <Button look="quiet" aria-label={t('editOf', { name })} onPress={() => onOpen('edit')}>
            {t('edit')}
          </Button>
          <Button look="quiet" aria-label={t('deleteOf', { name })} onPress={() => onOpen('delete')}>
            {t('delete')}
          </Button>
        </span>
      </td>
    </tr>
  )
}
