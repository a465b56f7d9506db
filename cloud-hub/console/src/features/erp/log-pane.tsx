import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { dayEnd, dayStart } from '../../i18n/wall-time.ts'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { LogEntries } from './log-entries.tsx'
import { LogFilters } from './log-filters.tsx'

const route = getRouteApi('/app/erp')
const PAGE_SIZE = 50

/** The log of all connections, also of deleted ones. */
export function LogPane() {
  const t = useTranslations()
  const { timeZone } = useFormat()
  const { page = 1, status, entity, connection, from, to } = route.useSearch()
  const navigate = useNavigate({ from: '/erp' })
  const { data: connections } = useQuery(apiQuery('/erp/connections'))
  const log = useQuery({
    ...apiQuery('/erp/logs', {
      params: {
        query: {
          page,
          page_size: PAGE_SIZE,
          status,
          entity_type: entity,
          erp_connection_id: connection,
          from: from && dayStart(from, timeZone),
          to: to && dayEnd(to, timeZone),
        },
      },
    }),
    placeholderData: keepPreviousData,
  })
  const filter = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change, page: undefined }), replace: true })
  const names = new Map((connections ?? []).map(({ id, name }) => [id, name]))
  return (
    <>
      <Filters chosen={[connection, status, entity, from, to].filter(Boolean).length}>
        <SelectField
          label={t('erp.connection')}
          className="max-md:col-span-2"
          value={connection ?? ''}
          onChange={({ target }) => filter({ connection: target.value || undefined })}
          options={[['', t('filter.all')], ...names]}
        />
        <LogFilters status={status} entity={entity} onFilter={filter} />
        <TextField
          label={t('audit.from')}
          type="date"
          value={from ?? ''}
          max={to}
          onChange={({ target }) => filter({ from: target.value || undefined })}
        />
        <TextField
          label={t('audit.to')}
          type="date"
          value={to ?? ''}
          min={from}
          onChange={({ target }) => filter({ to: target.value || undefined })}
        />
      </Filters>
      <div className="card">
        <Loaded query={log} label={t('erp.tabs.log')} rows={8}>
          {(data) => (
            <LogEntries
              page={data}
              nameOf={(id) => names.get(id) ?? t('erp.deleted')}
              isFiltered={Boolean(status || entity || connection || from || to)}
              onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })}
            />
          )}
        </Loaded>
      </div>
    </>
  )
}
