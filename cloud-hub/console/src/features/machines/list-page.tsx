import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { groupOptions } from '../../app/machine-groups.ts'
import { MACHINE_STATUSES } from '../../app/machine-status.ts'
import { useMe } from '../../app/me.tsx'
import { keepWithin, useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button, buttonClass } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Empty, PageHead } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Status } from '../../kit/status.tsx'
import { SortHeader, Table } from '../../kit/table.tsx'

const AddDialog = lazy(() => import('./add-dialog.tsx').then((it) => ({ default: it.AddDialog })))
const ImportDialog = lazy(() => import('./import-dialog.tsx').then((it) => ({ default: it.ImportDialog })))

const route = getRouteApi('/app/machines')
const PAGE_SIZE = 50

export function MachinesPage() {
  const t = useTranslations()
  const format = useFormat()
  const { may } = useMe()
  const { page = 1, find, status, group, active, sort = 'name', dir = 'asc' } = route.useSearch()
  const site = useSite()
  const navigate = useNavigate({ from: '/machines' })
  const [dialog, setDialog] = useState<'add' | 'import' | null>(null)
  const { data: groups } = useQuery(apiQuery('/machine-groups/tree'))
  const query = useQuery({
    ...apiQuery('/machines', {
      params: {
        query: {
          page,
          page_size: PAGE_SIZE,
          search: find,
          status,
          group_id: group ?? site,
          is_active: active,
          sort_by: sort,
          sort_dir: dir,
        },
      },
    }),
    placeholderData: keepWithin(group ?? site),
  })
  const { data } = query
  const filter = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change, page: undefined }), replace: true })
  const isFiltered = Boolean(find || status || group) || active === 'false'
  const sorting = { sort, dir, onSort: (next: typeof sort, direction: 'asc' | 'desc') => filter({ sort: next, dir: direction }) }
  return (
    <>
      <PageHead title={t('machines.title')} lead={data ? t('machines.count', { count: data.pagination.total }) : undefined}>
        <Link to="/machines/groups" className={buttonClass()}>
          {t('groups.title')}
        </Link>
        {may('operator') ? (
          <>
            <Button onPress={() => setDialog('import')}>{t('machines.import')}</Button>
            <Button look="primary" onPress={() => setDialog('add')}>
              {t('machines.add')}
            </Button>
          </>
        ) : null}
      </PageHead>
      <Filters
        chosen={[status, group, active].filter(Boolean).length}
        always={
          <TextField
            label={t('machines.find')}
            type="search"
            defaultValue={find}
            className="col-span-2 md:w-72"
            onChange={({ target }) => filter({ find: target.value || undefined })}
          />
        }
      >
        <SelectField
          label={t('machines.status')}
          value={status ?? ''}
          onChange={({ target }) => filter({ status: target.value || undefined })}
          options={[['', t('filter.all')], ...MACHINE_STATUSES.map((it) => [it, t(`status.${it}`)] as const)]}
        />
        <SelectField
          label={t('machines.group')}
          className="md:max-w-64"
          value={group ?? ''}
          onChange={({ target }) => filter({ group: target.value || undefined })}
          options={[['', t('filter.all')], ...groupOptions(groups ?? [])]}
        />
        <SelectField
          label={t('machines.activity')}
          value={active ?? 'true'}
          onChange={({ target }) => filter({ active: target.value === 'true' ? undefined : target.value })}
          options={[
            ['true', t('machines.active')],
            ['false', t('machines.inactive')],
            ['all', t('filter.all')],
          ]}
        />
      </Filters>
      <div className="card">
        <Loaded query={query} label={t('machines.title')} rows={8}>
          {(data) =>
            data.items.length === 0 ? (
              <Empty title={isFiltered ? t('machines.noneFound') : t('overview.noMachines')}>
                {isFiltered ? null : <p>{may('operator') ? t('overview.noMachinesText') : t('overview.noMachinesViewer')}</p>}
              </Empty>
            ) : (
              <Table label={t('machines.title')}>
                <thead>
                  <tr>
                    <SortHeader name="name" {...sorting}>
                      {t('machines.name')}
                    </SortHeader>
                    <SortHeader name="status" {...sorting}>
                      {t('machines.status')}
                    </SortHeader>
                    <SortHeader name="machine_identifier" {...sorting} className="max-sm:hidden">
                      {t('machines.identifier')}
                    </SortHeader>
                    <SortHeader name="location" {...sorting} className="max-md:hidden">
                      {t('machines.location')}
                    </SortHeader>
                    <SortHeader name="updated_at" {...sorting} className="max-lg:hidden">
                      {t('machines.changed')}
                    </SortHeader>
                  </tr>
                </thead>
                <tbody>
                  {data.items.map((machine) => (
                    <tr key={machine.id}>
                      <td>
                        <Link to="/machines/$machineId" params={{ machineId: machine.id }} className="font-medium">
                          {machine.name}
                        </Link>
                      </td>
                      <td>
                        {machine.is_active ? (
                          <Status tone={machine.status}>{t(`status.${machine.status}`)}</Status>
                        ) : (
                          <span className="text-soft">{t('machines.inactive')}</span>
                        )}
                      </td>
                      <td className="max-sm:hidden">
                        <code>{machine.machine_identifier}</code>
                      </td>
                      <td className="max-md:hidden">{machine.location ?? '–'}</td>
                      <td className="max-lg:hidden">{format.dateTime(machine.updated_at)}</td>
                    </tr>
                  ))}
                </tbody>
              </Table>
            )
          }
        </Loaded>
        {data ? (
          <Pages pagination={data.pagination} onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })} />
        ) : null}
      </div>
      <Suspense>
        {dialog === 'add' ? <AddDialog onClose={() => setDialog(null)} /> : null}
        {dialog === 'import' ? <ImportDialog onClose={() => setDialog(null)} /> : null}
      </Suspense>
    </>
  )
}
