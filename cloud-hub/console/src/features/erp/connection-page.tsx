import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { isGone, UnavailablePage } from '../../app/unavailable-page.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { PageHead, Panel, Panels } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Status } from '../../kit/status.tsx'
import { toast } from '../../kit/toast.tsx'
import { ConnectionTest } from './connection-test.tsx'
import { ExchangePanel } from './exchange-panel.tsx'
import { LogEntries } from './log-entries.tsx'
import { LogFilters } from './log-filters.tsx'
import { PROVIDERS } from './providers.ts'
import { RunsPanel } from './runs-panel.tsx'

const ConnectionDialog = lazy(() => import('./connection-dialog.tsx').then((it) => ({ default: it.ConnectionDialog })))
const MappingDialog = lazy(() => import('./mapping-dialog.tsx').then((it) => ({ default: it.MappingDialog })))
const PreviewDialog = lazy(() => import('./preview-dialog.tsx').then((it) => ({ default: it.PreviewDialog })))

const route = getRouteApi('/app/erp/$connectionId')
const PAGE_SIZE = 20

/** One ERP connection: what it exchanges, how its runs ended, and each record. */
export function ConnectionPage() {
  const t = useTranslations('erp')
  const { connectionId } = route.useParams()
  const params = { path: { connection_id: connectionId } }
  const connection = useQuery(apiQuery('/erp/connections/{connection_id}', { params }))
  if (isGone(connection.error)) return <UnavailablePage query={connection} />
  return (
    <>
      <p className="no-print mb-1 text-sm">
        <Link to="/erp">{t('title')}</Link>
      </p>
      <Loaded query={connection} label={t('title')} rows={8}>
        {(data) => <Connection connection={data} />}
      </Loaded>
    </>
  )
}

function Connection({ connection }: { connection: Schemas['ErpConnection'] }) {
  const t = useTranslations('erp')
  const { may } = useMe()
  return (
    <>
      <PageHead
        title={connection.name}
        lead={
          <span className="flex flex-wrap gap-x-4">
            <Status tone={connection.is_active ? 'healthy' : 'offline'}>{t(connection.is_active ? 'active' : 'inactive')}</Status>
            <span>{PROVIDERS[connection.provider].label}</span>
            <span>{(connection.config as { base_url?: string }).base_url}</span>
          </span>
        }
      >
        {may('admin') ? <Actions connection={connection} /> : null}
      </PageHead>
      <Panels>
        {connection.automatic_runs_paused ? <Notice tone="warning">{t('paused')}</Notice> : null}
        {may('admin') ? <ConnectionTest connectionId={connection.id} /> : null}
        <Panels className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
          <ExchangePanel connection={connection} />
          <RunsPanel connectionId={connection.id} />
        </Panels>
        <Log connectionId={connection.id} />
      </Panels>
    </>
  )
}

function Actions({ connection }: { connection: Schemas['ErpConnection'] }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'edit' | 'mapping' | 'preview' | 'delete' | null>(null)
  const params = { path: { connection_id: connection.id } }
  const query = apiQuery('/erp/connections/{connection_id}', { params })
  const toggle = useMutation({
    mutationFn: () =>
      unwrap(api.PATCH('/erp/connections/{connection_id}', { params, body: { is_active: !connection.is_active } })),
    onError: (error) => toast('critical', faultText(error)),
  })
  const close = () => setDialog(null)
  return (
    <>
      <Button onPress={() => setDialog('preview')}>{t('erp.preview')}</Button>
      <Button onPress={() => setDialog('mapping')}>{t('erp.mapping')}</Button>
      <Button isPending={toggle.isPending} onPress={() => toggle.mutate()}>
        {t(connection.is_active ? 'rules.deactivate' : 'rules.activate')}
      </Button>
      <Button onPress={() => setDialog('edit')}>{t('common.edit')}</Button>
      <Button look="danger" onPress={() => setDialog('delete')}>
        {t('common.delete')}
      </Button>
      <Suspense>
        {dialog === 'edit' ? <ConnectionDialog connection={connection} onClose={close} /> : null}
        {dialog === 'mapping' ? <MappingDialog connection={connection} onClose={close} /> : null}
        {dialog === 'preview' ? <PreviewDialog connection={connection} onClose={close} /> : null}
      </Suspense>
      {dialog === 'delete' ? (
        <ConfirmDialog
          title={t('erp.deleteTitle', { name: connection.name })}
          text={t('erp.deleteText')}
          confirm={t('common.delete')}
          run={() => unwrap(api.DELETE('/erp/connections/{connection_id}', { params }))}
          onDone={async () => {
            await navigate({ to: '/erp' })
            client.removeQueries({ queryKey: query.queryKey })
          }}
          onClose={close}
        />
      ) : null}
    </>
  )
}

function Log({ connectionId }: { connectionId: string }) {
  const t = useTranslations()
  const { page = 1, status, entity, run } = route.useSearch()
  const navigate = useNavigate({ from: '/erp/$connectionId' })
  const log = useQuery({
    ...apiQuery('/erp/connections/{connection_id}/logs', {
      params: {
        path: { connection_id: connectionId },
        query: { page, page_size: PAGE_SIZE, status, entity_type: entity, run_id: run },
      },
    }),
    placeholderData: keepPreviousData,
  })
  const filter = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change, page: undefined }), replace: true, resetScroll: false })
  return (
    <Panel title={t('erp.tabs.log')}>
      <div className="flex flex-wrap items-end gap-3 border-b border-line p-4">
        <LogFilters status={status} entity={entity} onFilter={filter} />
        {run ? <Button onPress={() => filter({ run: undefined })}>{t('erp.allRuns')}</Button> : null}
      </div>
      <Loaded query={log} label={t('erp.tabs.log')}>
        {(data) => (
          <LogEntries
            page={data}
            isFiltered={Boolean(status || entity || run)}
            onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }), resetScroll: false })}
          />
        )}
      </Loaded>
    </Panel>
  )
}
