import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../../api/client.ts'
import { isGone, UnavailablePage } from '../../../app/unavailable-page.tsx'
import { useFaultText, useReportedFault } from '../../../i18n/fault-text.ts'
import { useFormat } from '../../../i18n/format.tsx'
import { Button } from '../../../kit/button.tsx'
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx'
import { SelectField } from '../../../kit/field.tsx'
import { Empty, PageHead, Panel, Panels } from '../../../kit/layout.tsx'
import { Loaded } from '../../../kit/loaded.tsx'
import { Notice } from '../../../kit/notice.tsx'
import { Pages } from '../../../kit/pages.tsx'
import { Status } from '../../../kit/status.tsx'
import { Table } from '../../../kit/table.tsx'
import { toast } from '../../../kit/toast.tsx'
import { AGENT_STATES, AGENT_TONES, progressOf, ROLLOUT_TONES } from './rollout-states.ts'

type Rollout = Schemas['AgentRolloutDetail']

const route = getRouteApi('/app/agents/updates/$rolloutId')
const REFRESH_MS = 5_000
const PAGE_SIZE = 100

const queryOf = (id: string) => apiQuery('/agent/rollouts/{rollout_id}', { params: { path: { rollout_id: id } } })

/** One rollout: how far each wave and each agent is, and what can be done about it. */
export function RolloutPage() {
  const t = useTranslations('updates')
  const { rolloutId } = route.useParams()
  const rollout = useQuery({
    ...queryOf(rolloutId),
    refetchInterval: ({ state }) => (state.data?.ended_at ? false : REFRESH_MS),
  })
  if (isGone(rollout.error)) return <UnavailablePage query={rollout} />
  return (
    <>
      <p className="no-print mb-1 text-sm">
        <Link to="/agents/updates">{t('title')}</Link>
      </p>
      <Loaded query={rollout} label={t('title')} rows={8}>
        {(data) => <Details rollout={data} />}
      </Loaded>
    </>
  )
}

function Details({ rollout }: { rollout: Rollout }) {
  const t = useTranslations('updates')
  const format = useFormat()
  const reportedFault = useReportedFault()
  const progress = progressOf(rollout)
  return (
    <>
      <PageHead
        title={t('rolloutOf', { version: rollout.version })}
        lead={
          <span className="flex flex-wrap gap-x-4">
            <Status tone={ROLLOUT_TONES[rollout.state]}>{t(`states.${rollout.state}`)}</Status>
            <span>{t('confirmedOf', progress)}</span>
            <span>{t('startedText', { by: rollout.created_by, at: format.dateTime(rollout.created_at) })}</span>
          </span>
        }
      >
        {rollout.ended_at ? null : <Actions rollout={rollout} />}
      </PageHead>
      <Panels>
        {rollout.state === 'stopped' ? (
          <Notice tone="critical">
            <p className="font-medium">{t('stoppedText', { count: rollout.failures })}</p>
            <p>{reportedFault(rollout.fault, rollout.reason ?? '')}</p>
            <p className="mt-1">{t('stoppedNext')}</p>
          </Notice>
        ) : null}
        {rollout.state === 'paused' ? <Notice tone="warning">{t('pausedText')}</Notice> : null}
        <Waves rollout={rollout} />
        <Agents rollout={rollout} />
      </Panels>
    </>
  )
}

function Actions({ rollout: { id, state } }: { rollout: Rollout }) {
  const t = useTranslations('updates')
  const faultText = useFaultText()
  const [isCancelling, setCancelling] = useState(false)
  const params = { path: { rollout_id: id } }
  const change = useMutation({
    mutationFn: (to: 'pause' | 'resume') =>
      unwrap(
        to === 'pause'
          ? api.POST('/agent/rollouts/{rollout_id}/pause', { params })
          : api.POST('/agent/rollouts/{rollout_id}/resume', { params }),
      ),
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <>
      {state === 'running' ? (
        <Button isPending={change.isPending} onPress={() => change.mutate('pause')}>
          {t('pause')}
        </Button>
      ) : (
        <Button look="primary" isPending={change.isPending} onPress={() => change.mutate('resume')}>
          {t('resume')}
        </Button>
      )}
      <Button look="danger" onPress={() => setCancelling(true)}>
        {t('cancel')}
      </Button>
      {isCancelling ? (
        <ConfirmDialog
          title={t('cancelTitle')}
          text={t('cancelText')}
          confirm={t('cancel')}
          run={() => unwrap(api.POST('/agent/rollouts/{rollout_id}/cancel', { params }))}
          onClose={() => setCancelling(false)}
        />
      ) : null}
    </>
  )
}

/** One line a wave: how many of its agents have confirmed the version, failed, or are under way. */
function Waves({ rollout: { agents, wave, waves, state } }: { rollout: Rollout }) {
  const t = useTranslations('updates')
  const numbers = Array.from({ length: waves }, (_, i) => i + 1)
  const isOver = state === 'completed' || state === 'cancelled'
  return (
    <Panel title={t('waves')}>
      <Table label={t('waves')}>
        <thead>
          <tr>
            <th>{t('wave')}</th>
            <th>{t('state')}</th>
            <th className="text-right">{t('agents')}</th>
            <th className="text-right">{t('agentStates.confirmed')}</th>
            <th className="text-right">{t('failed')}</th>
          </tr>
        </thead>
        <tbody>
          {numbers.map((number) => {
            const own = agents.filter((agent) => agent.wave === number)
            const of = (...states: string[]) => own.filter((agent) => states.includes(agent.state)).length
            return (
              <tr key={number}>
                <td className="tabular font-semibold">{number}</td>
                <td>
                  {t(
                    number > wave
                      ? 'waveWaits'
                      : number < wave || isOver
                        ? 'waveOver'
                        : state === 'running'
                          ? 'waveRuns'
                          : 'waveHeld',
                  )}
                </td>
                <td className="tabular text-right">{own.length}</td>
                <td className="tabular text-right">{of('confirmed')}</td>
                <td className="tabular text-right">{of('rolled_back', 'failed', 'refused')}</td>
              </tr>
            )
          })}
        </tbody>
      </Table>
    </Panel>
  )
}

function Agents({ rollout: { agents, counts } }: { rollout: Rollout }) {
  const t = useTranslations('updates')
  const filters = useTranslations('filter')
  const format = useFormat()
  const reportedFault = useReportedFault()
  const { state, page = 1 } = route.useSearch()
  const navigate = useNavigate({ from: '/agents/updates/$rolloutId' })
  const found = state ? agents.filter((agent) => agent.state === state) : agents
  const first = (page - 1) * PAGE_SIZE
  return (
    <Panel title={t('agents')}>
      <div className="border-b border-line p-4">
        <SelectField
          label={t('state')}
          className="sm:w-72"
          value={state ?? ''}
          onChange={({ target }) =>
            navigate({ search: { state: (target.value || undefined) as typeof state }, replace: true, resetScroll: false })
          }
          options={[
            ['', `${filters('all')} (${agents.length})`],
            ...AGENT_STATES.filter((it) => counts[it]).map((it) => [it, `${t(`agentStates.${it}`)} (${counts[it]})`] as const),
          ]}
        />
      </div>
      {found.length === 0 ? (
        <Empty title={t('noAgents')} />
      ) : (
        <Table label={t('agents')}>
          <thead>
            <tr>
              <th>{t('agent')}</th>
              <th>{t('wave')}</th>
              <th>{t('from')}</th>
              <th>{t('state')}</th>
              <th>{t('since')}</th>
              <th>{t('reason')}</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(first, first + PAGE_SIZE).map((agent) => (
              <tr key={agent.agent_id}>
                <td>
                  <Link to="/agents/$agentId" params={{ agentId: agent.agent_id }} className="font-medium">
                    {agent.agent_id}
                  </Link>
                </td>
                <td className="tabular">{agent.wave || '–'}</td>
                <td>
                  <code>{agent.from_version}</code>
                </td>
                <td>
                  <Status tone={AGENT_TONES[agent.state]}>{t(`agentStates.${agent.state}`)}</Status>
                  {agent.state === 'downloading' && agent.received_bytes !== null ? (
                    <span className="block text-sm text-soft">{t('received', { size: format.bytes(agent.received_bytes) })}</span>
                  ) : null}
                </td>
                <td className="whitespace-nowrap">{format.dateTime(agent.since)}</td>
                <td className="max-w-96">{agent.reason ? reportedFault(agent.fault, agent.reason) : '–'}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <Pages
        pagination={{ total: found.length, page, page_size: PAGE_SIZE }}
        onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }), resetScroll: false })}
      />
    </Panel>
  )
}
