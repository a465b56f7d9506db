import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { UnavailablePage } from '../../app/unavailable-page.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Empty, PageHead, Panel, Panels } from '../../kit/layout.tsx'
import { Failed } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Status } from '../../kit/status.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { agentFaults, isRunning } from './agent-faults.ts'
import { GroupField } from './group-field.tsx'
import { SourcesPanel } from './sources/panel.tsx'
import { useAgentFaultText, useRejectionText, useSourceClockText, useStateText } from './state-text.ts'
import { AgentUpdate } from './updates/agent-update.tsx'

const route = getRouteApi('/app/agents/$agentId')
const REFRESH_MS = 5_000

/** One agent: what it does, what it could not do, and its sources. */
export function AgentPage() {
  const t = useTranslations()
  const { agentId } = route.useParams()
  const query = useQuery({
    ...apiQuery('/agent/fleet', { params: { query: { search: agentId } } }),
    refetchInterval: REFRESH_MS,
  })
  const agent = query.data?.agents.find(({ agent_id }) => agent_id === agentId)
  if (!query.data) return <UnavailablePage query={query} />
  return (
    <>
      <Failed query={query} />
      <p className="no-print mb-1 text-sm">
        <Link to="/agents">{t('nav.agents')}</Link>
      </p>
      {agent ? (
        <Agent agent={agent} />
      ) : (
        <>
          <PageHead title={agentId} />
          <Notice tone="info">{t('agents.notSeen')}</Notice>
        </>
      )}
    </>
  )
}

function Agent({ agent }: { agent: Schemas['FleetAgent'] }) {
  const t = useTranslations('agents')
  const format = useFormat()
  const faults = agentFaults(agent)
  const faultText = useAgentFaultText()
  const facts = [
    [t('version'), agent.agent_version],
    [t('host'), agent.hostname ?? '–'],
    [t('uptime'), agent.uptime_seconds === null ? '–' : format.duration(agent.uptime_seconds / 60)],
    [t('clock'), agent.clock_offset_ms === null ? '–' : t('clockOffset', { ms: format.number(agent.clock_offset_ms) })],
    [t('credential'), t(`credentials.${agent.credential}`)],
    [t('buffer'), agent.buffer_count === null ? '–' : t('bufferText', bufferText(agent, format))],
    [
      t('full'),
      agent.buffer_full_in_hours === null ? t('never') : t('in', { span: format.duration(agent.buffer_full_in_hours * 60) }),
    ],
    [t('droppedReadings'), format.count(agent.dropped_count ?? 0)],
    [t('missedPolls'), format.count(agent.missed_poll_count)],
  ] as const
  return (
    <>
      <PageHead
        title={agent.agent_id}
        lead={
          <span className="flex flex-wrap gap-x-4">
            <Status tone={agent.online ? 'healthy' : 'offline'}>{t(agent.online ? 'online' : 'offline')}</Status>
            <span>{t('seen', { ago: format.ago(agent.last_seen) })}</span>
          </span>
        }
      >
        <Actions agent={agent} />
      </PageHead>
      <Panels>
        {agent.unsupported ? <Notice tone="critical">{t('unsupportedText')}</Notice> : null}
        {!agent.unsupported && agent.update_available ? <Notice tone="info">{t('updateText')}</Notice> : null}
        {faults.map((fault) => (
          <Notice key={faultText(fault)} tone="warning">
            {faultText(fault)}
          </Notice>
        ))}
        <Panels className="grid items-start gap-4 lg:grid-cols-2">
          <Panel title={t('facts')}>
            <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5 p-4">
              {facts.map(([name, value]) => (
                <div key={name} className="contents">
                  <dt className="text-soft">{name}</dt>
                  <dd className="tabular">{value}</dd>
                </div>
              ))}
            </dl>
            <GroupField agent={agent} />
          </Panel>
          <Collectors agent={agent} />
          <AgentUpdate agent={agent} />
          <DeadLetters agent={agent} />
          <SourcesPanel agentId={agent.agent_id} />
        </Panels>
      </Panels>
    </>
  )
}

const bufferText = (agent: Schemas['FleetAgent'], format: ReturnType<typeof useFormat>) => ({
  count: format.count(agent.buffer_count ?? 0),
  age: format.duration((agent.buffer_age_hours ?? 0) * 60),
  size: format.bytes(agent.buffer_bytes ?? 0),
})

function Collectors({ agent }: { agent: Schemas['FleetAgent'] }) {
  const t = useTranslations('agents')
  const stateText = useStateText()
  const clockText = useSourceClockText()
  const format = useFormat()
  const entries = Object.entries(agent.collectors)
  return (
    <Panel title={t('collectors')}>
      {entries.length === 0 ? (
        <Empty title={t('noCollectors')}>{t('noCollectorsText')}</Empty>
      ) : (
        <Table label={t('collectors')}>
          <thead>
            <tr>
              <th>{t('name')}</th>
              <th>{t('state')}</th>
              <th>{t('sourceClock')}</th>
              <th className="text-right">{t('missed')}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(([name, state]) => {
              const missed = agent.missed_polls[name]
              return (
                <tr key={name}>
                  <td className="font-medium">{name}</td>
                  <td className={isRunning(state) ? '' : 'text-critical'}>{stateText(state, agent.collector_faults?.[name])}</td>
                  <td>{clockText(agent.source_clocks[name])}</td>
                  <td className="tabular text-right">{missed ? format.count(missed.skipped + missed.failed) : '0'}</td>
                </tr>
              )
            })}
          </tbody>
        </Table>
      )}
    </Panel>
  )
}

function DeadLetters({ agent }: { agent: Schemas['FleetAgent'] }) {
  const t = useTranslations('agents')
  const format = useFormat()
  const rejectionText = useRejectionText()
  if (!agent.dead_letter_count) return null
  return (
    <Panel title={t('deadLetters')}>
      <Table label={t('deadLetters')}>
        <thead>
          <tr>
            <th>{t('reason')}</th>
            <th className="text-right">{t('readings')}</th>
            <th>{t('last')}</th>
          </tr>
        </thead>
        <tbody>
          {agent.dead_letters.map((it) => (
            <tr key={`${it.code} ${it.reason}`}>
              <td>{rejectionText(it)}</td>
              <td className="tabular text-right">{format.count(it.count)}</td>
              <td>{format.dateTime(it.last_at)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Panel>
  )
}

function Actions({ agent }: { agent: Schemas['FleetAgent'] }) {
  const t = useTranslations('agents')
  const faultText = useFaultText()
  const [confirming, setConfirming] = useState<'retire' | 'release' | null>(null)
  const params = { path: { agent_id: agent.agent_id } }
  const requeue = useMutation({
    mutationFn: () => unwrap(api.POST('/agent/fleet/{agent_id}/requeue', { params })),
    onSuccess: () => toast('healthy', t('requeued')),
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <>
      {agent.dead_letter_count ? (
        <Button isPending={requeue.isPending} isDisabled={agent.requeue_requested_at !== null} onPress={() => requeue.mutate()}>
          {t('requeue')}
        </Button>
      ) : null}
      {agent.credential === 'enrolled' ? <Button onPress={() => setConfirming('release')}>{t('release')}</Button> : null}
      {!agent.online && !agent.retired_at ? <Button onPress={() => setConfirming('retire')}>{t('retire')}</Button> : null}
      {confirming ? (
        <ConfirmDialog
          title={t(`${confirming}Title`, { name: agent.agent_id })}
          text={t(`${confirming}Text`)}
          confirm={t(confirming)}
          onClose={() => setConfirming(null)}
          run={() =>
            confirming === 'retire'
              ? unwrap(api.POST('/agent/fleet/{agent_id}/retire', { params }))
              : unwrap(api.POST('/agent/fleet/{agent_id}/release', { params }))
          }
        />
      ) : null}
    </>
  )
}
