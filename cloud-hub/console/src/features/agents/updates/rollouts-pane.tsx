import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../../api/client.ts'
import { useFormat } from '../../../i18n/format.tsx'
import { Empty, Panel } from '../../../kit/layout.tsx'
import { Loaded } from '../../../kit/loaded.tsx'
import { Pages } from '../../../kit/pages.tsx'
import { Status } from '../../../kit/status.tsx'
import { Table } from '../../../kit/table.tsx'
import { progressOf, ROLLOUT_TONES } from './rollout-states.ts'

const route = getRouteApi('/app/agents/updates')
const PAGE_SIZE = 20
const REFRESH_MS = 10_000

/** Rollouts, newest first. */
export function RolloutsPane() {
  const t = useTranslations('updates')
  const format = useFormat()
  const { page = 1 } = route.useSearch()
  const navigate = useNavigate({ from: '/agents/updates' })
  const rollouts = useQuery({
    ...apiQuery('/agent/rollouts', { params: { query: { page, page_size: PAGE_SIZE } } }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  return (
    <Panel title={t('rollouts')}>
      <Loaded query={rollouts} label={t('rollouts')} rows={3}>
        {({ items, pagination }) =>
          items.length === 0 ? (
            <Empty title={t('noRollouts')}>{t('noRolloutsText')}</Empty>
          ) : (
            <>
              <Table label={t('rollouts')}>
                <thead>
                  <tr>
                    <th>{t('version')}</th>
                    <th>{t('state')}</th>
                    <th>{t('progress')}</th>
                    <th>{t('startedBy')}</th>
                    <th>{t('startedAt')}</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((rollout) => (
                    <tr key={rollout.id}>
                      <td>
                        <Link to="/agents/updates/$rolloutId" params={{ rolloutId: rollout.id }} className="font-medium">
                          {rollout.version}
                        </Link>
                      </td>
                      <td>
                        <Status tone={ROLLOUT_TONES[rollout.state]}>{t(`states.${rollout.state}`)}</Status>
                      </td>
                      <td>{t('confirmedOf', progressOf(rollout))}</td>
                      <td>{rollout.created_by}</td>
                      <td className="whitespace-nowrap">{format.dateTime(rollout.created_at)}</td>
                    </tr>
                  ))}
                </tbody>
              </Table>
              <Pages
                pagination={pagination}
                onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }), resetScroll: false })}
              />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}
