import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { saveFile } from '../../api/download.ts'
import { AGENT_ROLLOUT_BODY_AGENT_IDS_MAX_ITEMS } from '../../api/limits.ts'
import { keepWithin, useSite } from '../../app/site.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button, buttonClass } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Empty, PageHead } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Status } from '../../kit/status.tsx'
import { SortHeader, Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { agentFaults, isRunning } from './agent-faults.ts'
import { useAgentFaultText } from './state-text.ts'

const route = getRouteApi('/app/agents')
/** Heartbeats do not come over the stream. */
const REFRESH_MS = 10_000
/** More rows at once would make a refresh felt. */
const PAGE_SIZE = 100

const RolloutDialog = lazy(() => import('./updates/rollout-dialog.tsx').then((it) => ({ default: it.RolloutDialog })))

const FILTERS = {
  online: { online: true },
  offline: { online: false },
  update: { update_available: true },
  unsupported: { unsupported: true },
  faults: { has_faults: true },
  retired: { retired: true },
} as const

/** All agents of the company: version, connection, buffer and faults. */
export function AgentsPage() {
  const t = useTranslations()
  const format = useFormat()
  const { find, show, sort = 'agent_id', dir = 'asc', page = 1 } = route.useSearch()
  const site = useSite()
  const navigate = useNavigate({ from: '/agents' })
  const query = useQuery({
    ...apiQuery('/agent/fleet', {
      params: { query: { search: find, group_id: site, sort_by: sort, sort_dir: dir, ...(show ? FILTERS[show] : {}) } },
    }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepWithin(site),
  })
  const { data } = query
  const filter = (change: Record<string, string | number | undefined>) =>
    navigate({ search: (known) => ({ ...known, page: undefined, ...change }), replace: true })
  const sorting = { sort, dir, onSort: (next: typeof sort, direction: 'asc' | 'desc') => filter({ sort: next, dir: direction }) }
  const agents = data?.agents ?? []
  const first = (page - 1) * PAGE_SIZE
  const [isStarting, setStarting] = useState(false)
  const faultText = useFaultText()
  const save = useMutation({
    mutationFn: async () => {
      const { fleetCsv } = await import('./fleet-csv.ts')
      saveFile(new Blob([fleetCsv(agents)], { type: 'text/csv' }), 'agents.csv')
    },
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <>
      <Suspense>
        {isStarting ? (
          <RolloutDialog
            {...(find || show
              ? { agentIds: agents.slice(0, AGENT_ROLLOUT_BODY_AGENT_IDS_MAX_ITEMS).map(({ agent_id }) => agent_id) }
              : {})}
            onClose={() => setStarting(false)}
          />
        ) : null}
      </Suspense>
      <PageHead title={t('agents.title')} lead={data ? t('agents.count', { count: data.total }) : undefined}>
        <Button isDisabled={agents.length === 0} isPending={save.isPending} onPress={() => save.mutate()}>
          CSV
        </Button>
        <Button isDisabled={agents.length === 0} onPress={() => setStarting(true)}>
          {t('updates.start')}
        </Button>
        <Link to="/agents/updates" className={buttonClass()}>
          {t('updates.title')}
        </Link>
        <Link to="/agents/enrol" className={buttonClass('primary')}>
          {t('agents.enrol')}
        </Link>
      </PageHead>
      <Filters
        chosen={show ? 1 : 0}
        always={
          <TextField
            label={t('agents.find')}
            type="search"
            defaultValue={find}
            className="max-md:col-span-2 md:w-72"
            onChange={({ target }) => filter({ find: target.value || undefined })}
          />
        }
      >
        <SelectField
          label={t('agents.show')}
          value={show ?? ''}
          onChange={({ target }) => filter({ show: target.value || undefined })}
          options={[
            ['', t('filter.all')],
            ...(Object.keys(FILTERS) as (keyof typeof FILTERS)[]).map((it) => [it, t(`agents.filters.${it}`)] as const),
          ]}
        />
      </Filters>
      <div className="card">
        <Loaded query={query} label={t('agents.title')} rows={8}>
          {() =>
            agents.length === 0 ? (
              <Empty title={t(find || show ? 'agents.noneFound' : 'agents.none')}>
                {find || show ? null : (
                  <>
                    <p>{t('agents.noneText')}</p>
                    <Link to="/agents/enrol" className={buttonClass('primary', 'mt-3')}>
                      {t('agents.enrol')}
                    </Link>
                  </>
                )}
              </Empty>
            ) : (
              <Table label={t('agents.title')}>
                <thead>
                  <tr>
                    <SortHeader name="agent_id" {...sorting}>
                      {t('agents.name')}
                    </SortHeader>
                    <SortHeader name="last_seen" {...sorting}>
                      {t('agents.connection')}
                    </SortHeader>
                    <SortHeader name="agent_version" {...sorting}>
                      {t('agents.version')}
                    </SortHeader>
                    <SortHeader name="buffer_count" {...sorting} className="text-right">
                      {t('agents.buffer')}
                    </SortHeader>
                    <SortHeader name="buffer_full_in_hours" {...sorting} className="text-right">
                      {t('agents.full')}
                    </SortHeader>
                    <th>{t('agents.collectors')}</th>
                    <th>{t('agents.faults')}</th>
                  </tr>
                </thead>
                <tbody>
                  {agents.slice(first, first + PAGE_SIZE).map((agent) => (
                    <Row key={agent.agent_id} agent={agent} format={format} />
                  ))}
                </tbody>
              </Table>
            )
          }
        </Loaded>
        {data ? (
          <Pages pagination={{ total: agents.length, page, page_size: PAGE_SIZE }} onPage={(next) => filter({ page: next })} />
        ) : null}
      </div>
    </>
  )
}

function Row({ agent, format }: { agent: Schemas['FleetAgent']; format: ReturnType<typeof useFormat> }) {
  const t = useTranslations('agents')
  const updates = useTranslations('updates')
  const faults = agentFaults(agent)
  const faultText = useAgentFaultText()
  return (
    <tr>
      <td>
        <Link to="/agents/$agentId" params={{ agentId: agent.agent_id }} className="font-medium">
          {agent.agent_id}
        </Link>
        {agent.hostname ? <span className="block text-sm text-soft">{agent.hostname}</span> : null}
        {agent.group_name ? <span className="block text-sm text-soft">{agent.group_name}</span> : null}
      </td>
      <td>
        <Status tone={agent.online ? 'healthy' : 'offline'}>{t(agent.online ? 'online' : 'offline')}</Status>
        <span className="block text-sm text-soft">{format.ago(agent.last_seen)}</span>
      </td>
      <td>
        <code>{agent.agent_version}</code>
        {agent.unsupported ? (
          <span className="block text-sm font-medium text-critical">{t('unsupported')}</span>
        ) : agent.update_available ? (
          <span className="block text-sm font-medium whitespace-nowrap text-info">{t('updateAvailable')}</span>
        ) : null}
        {agent.update?.state && agent.update.state !== 'confirmed' ? (
          <span className="block text-sm text-soft">
            {agent.update.version}: {updates(`agentStates.${agent.update.state}`)}
          </span>
        ) : null}
      </td>
      <td className="tabular text-right">
        {agent.buffer_count === null ? '–' : format.count(agent.buffer_count)}
        {agent.buffer_age_hours ? (
          <span className="block text-sm text-soft">{t('oldest', { age: format.duration(agent.buffer_age_hours * 60) })}</span>
        ) : null}
      </td>
      <td className="tabular text-right">
        {agent.buffer_full_in_hours === null ? '–' : t('in', { span: format.duration(agent.buffer_full_in_hours * 60) })}
      </td>
      <td className="tabular">
        {Object.values(agent.collectors).filter(isRunning).length}
        {' / '}
        {Object.keys(agent.collectors).length}
      </td>
      <td className="max-w-96">
        {faults.length === 0 ? (
          <span className="text-soft">{t('noFaults')}</span>
        ) : (
          <span className="text-critical">
            {faults[0] ? faultText(faults[0]) : null}
            {faults.length > 1 ? ` ${t('more', { count: faults.length - 1 })}` : ''}
          </span>
        )}
      </td>
    </tr>
  )
}
