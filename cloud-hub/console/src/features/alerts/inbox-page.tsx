import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { ALERT_SEVERITY } from '../../api/enums.ts'
import { CsvButton } from '../../app/csv-button.tsx'
import { MachineField } from '../../app/machine-field.tsx'
import { useMe } from '../../app/me.tsx'
import { keepWithin, useSite } from '../../app/site.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { dayEnd, dayOf, dayStart } from '../../i18n/wall-time.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Empty, PageHead } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { toast } from '../../kit/toast.tsx'
import { ViewLinks } from '../../kit/view-links.tsx'
import { AlertRow } from './alert-row.tsx'
import { GroupList } from './group-list.tsx'
import { useAlertView } from './use-alert-view.ts'
import { useInboxKeys } from './use-inbox-keys.ts'
import { useAcknowledgeMatching, useMatching } from './use-matching.ts'

const route = getRouteApi('/app/alerts')
const PAGE_SIZE = 50

/** Alerts by state and severity, the latest first. */
export function InboxPage() {
  const t = useTranslations()
  const { may } = useMe()
  const format = useFormat()
  const { timeZone, count } = format
  const { page = 1, severity, state = 'open', machine, rule, view: given, from, to } = route.useSearch()
  const [view, rememberView] = useAlertView(given, rule)
  const isGrouped = view === 'groups'
  const site = useSite()
  const navigate = useNavigate({ from: '/alerts' })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const list = useRef<HTMLUListElement>(null)
  const query = {
    page,
    page_size: PAGE_SIZE,
    severity,
    machine_id: machine,
    rule_id: rule,
    group_id: site,
    is_acknowledged: state === 'all' ? undefined : state === 'acknowledged',
    start_date: from,
    end_date: to,
  }
  const alerts = useQuery({
    ...apiQuery('/alerts', { params: { query } }),
    placeholderData: keepWithin(site),
    enabled: !isGrouped,
  })
  const { data } = alerts
  const { data: stats } = useQuery(apiQuery('/alerts/stats', { params: { query: { group_id: site } } }))
  const acknowledge = useAcknowledge()
  const { matching, chooseMatching, forgetMatching } = useMatching({
    group_id: site,
    severity,
    machine_id: machine,
    rule_id: rule,
    start_date: from,
    end_date: to,
  })
  const acknowledgeMatching = useAcknowledgeMatching(forgetMatching)
  const items = data?.items ?? []
  const ids = items.map(({ id }) => id).join(' ')
  // what left the list is no longer chosen
  useEffect(() => setChosen((known) => new Set([...known].filter((id) => ids.includes(id)))), [ids])

  const filter = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change, page: undefined }), replace: true })
  const choose = (id: string, isChosen: boolean) => {
    // what the person sees is chosen, no longer all that match
    forgetMatching()
    setChosen((known) => new Set(isChosen ? [...known, id] : [...known].filter((it) => it !== id)))
  }
  const acknowledgeChosen = () => {
    const open = items.filter((alert) => chosen.has(alert.id) && !alert.is_acknowledged).map(({ id }) => id)
    if (open.length > 0) acknowledge.mutate(open)
    forgetMatching()
    setChosen(new Set())
  }
  useInboxKeys(list, {
    onChoose: (id) => may('operator') && choose(id, !chosen.has(id)),
    onAcknowledge: (id) => may('operator') && (chosen.size > 0 ? acknowledgeChosen() : acknowledge.mutate([id])),
  })
  const filters = [severity, machine, rule, from, to, state !== 'open'].filter(Boolean)
  const isUnfiltered = filters.length === 0
  const ofRule = items.find((alert) => alert.rule_id === rule)
  const isAllChosen = items.length > 0 && items.every(({ id }) => chosen.has(id))
  return (
    <>
      <PageHead
        title={t('alerts.title')}
        lead={
          stats
            ? t('alerts.stats', {
                total: stats.total_active,
                critical: stats.critical_count,
                warning: stats.warning_count,
              })
            : undefined
        }
      >
        {may('operator') && !isGrouped && matching ? (
          <Button look="primary" isPending={acknowledgeMatching.isPending} onPress={() => acknowledgeMatching.mutate(matching)}>
            {t('alerts.acknowledgeMatching', { count: count(matching.total) })}
          </Button>
        ) : may('operator') && !isGrouped && chosen.size > 0 ? (
          <Button look="primary" isPending={acknowledge.isPending} onPress={acknowledgeChosen}>
            {t('alerts.acknowledgeChosen', { count: chosen.size })}
          </Button>
        ) : null}
        {!isGrouped && data && data.pagination.total > 0 ? (
          <CsvButton path="/alerts" query={{ ...query, page: undefined, page_size: undefined }} name="alerts" />
        ) : null}
      </PageHead>
      <Filters chosen={filters.length}>
        <SelectField
          label={t('alerts.state')}
          value={state}
          onChange={({ target }) => filter({ state: target.value === 'open' ? undefined : target.value })}
          options={(['open', 'acknowledged', 'all'] as const).map((it) => [it, t(`alerts.states.${it}`)] as const)}
        />
        <SelectField
          label={t('alerts.severity')}
          value={severity ?? ''}
          onChange={({ target }) => filter({ severity: target.value || undefined })}
          options={[['', t('filter.all')], ...ALERT_SEVERITY.toReversed().map((it) => [it, t(`severity.${it}`)] as const)]}
        />
        <MachineField
          label={t('alerts.machine')}
          className="max-md:col-span-2 md:w-64"
          value={machine ?? ''}
          none={t('filter.all')}
          onChange={(id) => filter({ machine: id || undefined })}
        />
        <TextField
          label={t('alerts.from')}
          type="date"
          value={from ? dayOf(from, timeZone) : ''}
          onChange={({ target }) => filter({ from: target.value ? dayStart(target.value, timeZone) : undefined })}
        />
        <TextField
          label={t('alerts.to')}
          type="date"
          value={to ? dayOf(to, timeZone) : ''}
          onChange={({ target }) => filter({ to: target.value ? dayEnd(target.value, timeZone) : undefined })}
        />
      </Filters>
      <div className="mb-4 flex">
        <ViewLinks
          label={t('alerts.view')}
          chosen={view}
          onChoose={rememberView}
          views={[
            ['list', t('alerts.list')],
            ['groups', t('alerts.grouped')],
          ]}
        />
      </div>
      {rule && !isGrouped ? (
        <p className="mb-3 flex flex-wrap items-center gap-3 text-sm">
          {ofRule ? (
            <strong className="font-medium">
              {t('alerts.titleOf', {
                machine: ofRule.machine_name,
                metric: ofRule.rule_name ?? format.metric(ofRule.metric_name),
              })}
            </strong>
          ) : null}
          {t('alerts.ofOneRule')}
          <Button look="quiet" onPress={() => filter({ rule: undefined, machine: undefined })}>
            {t('alerts.ofAllRules')}
          </Button>
        </p>
      ) : null}
      {isGrouped ? (
        <GroupList
          query={query}
          isUnfiltered={isUnfiltered}
          onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })}
        />
      ) : (
        <div className="card max-w-300">
          <Loaded query={alerts} label={t('alerts.title')} rows={8}>
            {() =>
              items.length === 0 ? (
                <Empty title={t(isUnfiltered ? 'alerts.noneOpen' : 'alerts.none')}>
                  {isUnfiltered ? (
                    <>
                      <p>{t('alerts.noneOpenText')}</p>
                      <Link to="/rules">{t('alerts.toRules')}</Link>
                    </>
                  ) : null}
                </Empty>
              ) : (
                <>
                  {may('operator') ? (
                    <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 text-sm text-soft">
                      <label className="flex items-center gap-3">
                        <input
                          type="checkbox"
                          checked={isAllChosen}
                          onChange={() => {
                            forgetMatching()
                            setChosen(isAllChosen ? new Set() : new Set(items.map(({ id }) => id)))
                          }}
                          className="size-4.5 accent-(--brand)"
                        />
                        {t('alerts.chooseAll')}
                      </label>
                      {isAllChosen && !matching && state === 'open' && data && data.pagination.total > items.length ? (
                        <Button look="quiet" onPress={chooseMatching}>
                          {t('alerts.allMatching', { count: count(data.pagination.total) })}
                        </Button>
                      ) : null}
                      <span className="ml-auto max-lg:hidden">{t('alerts.keys')}</span>
                    </div>
                  ) : null}
                  <ul ref={list} className="divide-y divide-line">
                    {items.map((alert) => (
                      <AlertRow
                        key={alert.id}
                        alert={alert}
                        isChosen={chosen.has(alert.id)}
                        onChoose={may('operator') ? (isChosen) => choose(alert.id, isChosen) : undefined}
                      />
                    ))}
                  </ul>
                </>
              )
            }
          </Loaded>
          {data ? (
            <Pages pagination={data.pagination} onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })} />
          ) : null}
        </div>
      )}
    </>
  )
}

/** Acknowledges alerts: shown at once, and taken back where the hub refuses. */
function useAcknowledge() {
  const t = useTranslations('alerts')
  const faultText = useFaultText()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (ids: string[]) => unwrap(api.POST('/alerts/bulk/acknowledge', { body: { alert_ids: ids } })),
    onMutate: async (ids) => {
      await client.cancelQueries({ queryKey: ['/alerts'] })
      const before = client.getQueriesData<Schemas['AlertPage']>({ queryKey: ['/alerts'] })
      client.setQueriesData<Schemas['AlertPage']>({ queryKey: ['/alerts'] }, (known) =>
        known
          ? {
              ...known,
              items: known.items.map((alert) => (ids.includes(alert.id) ? { ...alert, is_acknowledged: true } : alert)),
            }
          : known,
      )
      return { before }
    },
    onSuccess: ({ acknowledged_count, already_acknowledged_ids }) => {
      toast('healthy', t('acknowledgedCount', { count: acknowledged_count }))
      if (already_acknowledged_ids.length > 0) toast('info', t('acknowledgedByOther', { count: already_acknowledged_ids.length }))
    },
    onError: (error, _ids, context) => {
      for (const [key, data] of context?.before ?? []) client.setQueryData(key, data)
      toast('critical', faultText(error))
    },
  })
}
