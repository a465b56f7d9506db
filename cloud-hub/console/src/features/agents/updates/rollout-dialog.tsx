import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, unwrap } from '../../../api/client.ts'
import {
  AGENT_ROLLOUT_BODY_SPREAD_SECONDS_MAX,
  AGENT_ROLLOUT_BODY_STOP_AFTER_FAILURES_MAX,
  AGENT_ROLLOUT_BODY_STOP_AFTER_FAILURES_MIN,
} from '../../../api/limits.ts'
import { useFaultText } from '../../../i18n/fault-text.ts'
import { Button } from '../../../kit/button.tsx'
import { Dialog, DialogActions, LeaveButton } from '../../../kit/dialog.tsx'
import { SelectField, TextField } from '../../../kit/field.tsx'
import { formText } from '../../../kit/form-text.ts'
import { Notice } from '../../../kit/notice.tsx'
import { sizesIn, wavesOf } from './rollout-states.ts'

/** Starts a rollout. @param agentIds a choice of agents to offer beside all */
export function RolloutDialog({ agentIds, onClose }: { agentIds?: readonly string[]; onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const navigate = useNavigate()
  const releases = useQuery(apiQuery('/agent/releases'))
  const fleet = useQuery(apiQuery('/agent/fleet', { params: { query: {} } }))
  const [isChoice, setChoice] = useState(agentIds !== undefined)
  const [waves, setWaves] = useState('1, 10')
  const sizes = sizesIn(waves)
  const usable = (releases.data ?? []).filter(({ is_expired }) => !is_expired)
  const agents = isChoice && agentIds ? agentIds.length : (fleet.data?.total ?? 0)
  const start = useMutation({
    mutationFn: (form: HTMLFormElement) => {
      const text = formText(form)
      return unwrap(
        api.POST('/agent/rollouts', {
          body: {
            version: text('version'),
            ...(isChoice && agentIds ? { agent_ids: [...agentIds], all_agents: false } : { all_agents: true }),
            wave_sizes: sizes ?? [],
            stop_after_failures: Number(text('failures')),
            spread_seconds: Number(text('spread')) * 60,
          },
        }),
      )
    },
    onSuccess: async ({ id }) => {
      onClose()
      await navigate({ to: '/agents/updates/$rolloutId', params: { rolloutId: id } })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (sizes) start.mutate(event.currentTarget)
  }
  const isEmpty = releases.data !== undefined && usable.length === 0
  return (
    <Dialog title={t('updates.start')} onClose={onClose} isBusy={start.isPending}>
      {(start.error ?? releases.error) ? <Notice tone="critical">{faultText(start.error ?? releases.error)}</Notice> : null}
      {isEmpty ? <Notice tone="info">{t('updates.nothingToRollOut')}</Notice> : null}
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <SelectField
          label={t('updates.version')}
          name="version"
          required
          options={usable.map(({ version }) => [version, version])}
        />
        {agentIds ? (
          <SelectField
            label={t('updates.agents')}
            value={isChoice ? 'these' : 'all'}
            onChange={({ target }) => setChoice(target.value === 'these')}
            options={[
              ['these', agentIds.length === 1 ? (agentIds[0] as string) : t('updates.theseAgents', { count: agentIds.length })],
              ['all', t('updates.allAgents')],
            ]}
          />
        ) : null}
        <TextField
          label={t('updates.waves')}
          value={waves}
          onChange={({ target }) => setWaves(target.value)}
          fault={sizes ? undefined : t('updates.wavesFault')}
          hint={sizes && agents > 0 ? <Preview waves={wavesOf(agents, sizes)} /> : t('updates.wavesHint')}
        />
        <TextField
          label={t('updates.failures')}
          hint={t('updates.failuresHint')}
          name="failures"
          type="number"
          min={AGENT_ROLLOUT_BODY_STOP_AFTER_FAILURES_MIN}
          max={AGENT_ROLLOUT_BODY_STOP_AFTER_FAILURES_MAX}
          defaultValue={1}
          required
        />
        <TextField
          label={t('updates.spread')}
          hint={t('updates.spreadHint')}
          name="spread"
          type="number"
          min={0}
          max={AGENT_ROLLOUT_BODY_SPREAD_SECONDS_MAX / 60}
          defaultValue={5}
          required
        />
        <p className="text-sm text-soft">{t('updates.plantDecides')}</p>
        <DialogActions>
          <LeaveButton onPress={onClose}>{t('common.cancel')}</LeaveButton>
          <Button look="primary" type="submit" isDisabled={usable.length === 0} isPending={start.isPending}>
            {t('updates.startNow')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** `First 1 agent, then 10, then 89.` */
function Preview({ waves: [first = 0, ...others] }: { waves: readonly number[] }) {
  const t = useTranslations('updates')
  return <>{[t('firstWave', { count: first }), ...others.map((count) => t('nextWave', { count }))].join(', ')}.</>
}
