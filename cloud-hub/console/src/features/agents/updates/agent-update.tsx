import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Schemas } from '../../../api/client.ts'
import { useReportedFault } from '../../../i18n/fault-text.ts'
import { useFormat } from '../../../i18n/format.tsx'
import { Button } from '../../../kit/button.tsx'
import { Panel } from '../../../kit/layout.tsx'
import { Status } from '../../../kit/status.tsx'
import { AGENT_TONES } from './rollout-states.ts'

const RolloutDialog = lazy(() => import('./rollout-dialog.tsx').then((it) => ({ default: it.RolloutDialog })))

/** Whether an agent installs updates, and how the newest one went. */
export function AgentUpdate({ agent }: { agent: Schemas['FleetAgent'] }) {
  const t = useTranslations('updates')
  const format = useFormat()
  const reported = useReportedFault()
  const [isStarting, setStarting] = useState(false)
  const { update } = agent
  return (
    <Panel
      title={t('title')}
      actions={
        update?.accepts && agent.update_available && !agent.retired_at ? (
          <Button onPress={() => setStarting(true)}>{t('updateThis')}</Button>
        ) : null
      }
    >
      <div className="flex flex-col gap-1.5 p-4">
        {!update ? <p>{t('tooOld')}</p> : null}
        {update && !update.accepts ? (
          <p>{t('refuses', { why: update.why_not ? reported(update.why_not_fault, update.why_not) : '–' })}</p>
        ) : null}
        {update?.accepts ? <p>{update.window ? t('takesWithin', { window: update.window }) : t('takes')}</p> : null}
        {update?.state ? (
          <p className="flex flex-wrap gap-x-3">
            <Status tone={AGENT_TONES[update.state]}>{t(`agentStates.${update.state}`)}</Status>
            <span>{t('ofVersion', { version: update.version ?? '–' })}</span>
            {update.at ? <span className="text-soft">{format.ago(update.at)}</span> : null}
          </p>
        ) : null}
        {update?.reason ? <p className="text-critical">{reported(update.fault, update.reason)}</p> : null}
      </div>
      <Suspense>{isStarting ? <RolloutDialog agentIds={[agent.agent_id]} onClose={() => setStarting(false)} /> : null}</Suspense>
    </Panel>
  )
}
