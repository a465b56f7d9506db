import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { CsvButton } from '../../app/csv-button.tsx'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { SortHeader, Table } from '../../kit/table.tsx'

const SORTS = ['name', 'machine_count', 'active_alert_count', 'downtime_hours', 'uptime_percent', 'oee_weighted_pct'] as const

const route = getRouteApi('/app/operations')

/** Sites beside each other, sorted by any figure. */
export function SitesPane() {
  const t = useTranslations('sites')
  const format = useFormat()
  const { may } = useMe()
  const { sort = 'name', dir = 'asc' } = route.useSearch()
  const navigate = useNavigate({ from: '/operations' })
  const query = useQuery({
    ...apiQuery('/fleet/sites/comparison', { params: { query: { sort_by: sort, sort_dir: dir } } }),
    placeholderData: keepPreviousData,
  })
  const sorting = {
    sort,
    dir,
    onSort: (next: typeof sort, direction: typeof dir) =>
      navigate({ search: (known) => ({ ...known, sort: next, dir: direction }), replace: true }),
  }
  const percent = (value: number | null) => (value === null ? '–' : format.percent(value))
  return (
    <Panel
      title={t('title')}
      actions={<CsvButton path="/fleet/sites/comparison" query={{ sort_by: sort, sort_dir: dir }} name="sites" />}
    >
      <Loaded query={query} label={t('title')}>
        {(data) =>
          data.length === 0 ? (
            <Empty title={t('none')}>
              <p>{t(may('operator') ? 'noneText' : 'noneOther')}</p>
              <Link to="/machines/groups">{t('toGroups')}</Link>
            </Empty>
          ) : (
            <Table label={t('title')}>
              <thead>
                <tr>
                  {SORTS.map((name) => (
                    <SortHeader key={name} name={name} {...sorting} className={name === 'name' ? '' : 'text-right'}>
                      {t(`columns.${name}`)}
                    </SortHeader>
                  ))}
                </tr>
              </thead>
              <tbody>
                {data.map((site) => (
                  <tr key={site.site_id}>
                    <td className="font-medium">
                      <Link to="/sites/$siteId" params={{ siteId: site.site_id }}>
                        {site.name}
                      </Link>
                    </td>
                    <td className="tabular text-right">{format.count(site.machine_count)}</td>
                    <td className="tabular text-right">{format.count(site.active_alert_count)}</td>
                    <td className="tabular text-right">{format.duration(site.downtime_hours * 60)}</td>
                    <td className="tabular text-right">{percent(site.uptime_percent)}</td>
                    <td className="tabular text-right font-semibold">{percent(site.oee_weighted_pct)}</td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
    </Panel>
  )
}
