import { useTranslations } from 'use-intl'
import type { Schemas } from '../api/client.ts'
import { useFactsText } from '../features/alerts/alert-text.ts'
import { useFormat } from '../i18n/format.tsx'
import type { IconName } from '../kit/icon.tsx'

/** A line of the finder. */
export interface Choice {
  icon: IconName
  text: string
  detail?: string | undefined
  /** the page that it opens */
  to?: string
  search?: Record<string, string>
  /** the dialog that it opens instead */
  dialog?: 'machine' | 'order' | 'keys'
  /** not remembered in the browser */
  isPerson?: boolean
  /** what it does instead of both */
  run?(): void
}

export interface Section {
  title: string
  choices: Choice[]
}

/** What the hub found, in the reader's words. */
export function useFound(): (found: Schemas['SearchAnswer'] | undefined) => Section[] {
  const t = useTranslations()
  const format = useFormat()
  const factsText = useFactsText()
  return (found) => [
    {
      title: t('nav.machines'),
      choices: (found?.machines ?? []).map(({ id, name, machine_identifier, status }) => ({
        icon: 'machine',
        text: name,
        detail: `${machine_identifier} · ${t(`status.${status}`)}`,
        to: `/machines/${id}`,
      })),
    },
    {
      title: t('nav.alerts'),
      choices: (found?.alerts ?? []).map(({ id, machine_name, metric_name, rule_name, severity, created_at }) => ({
        icon: 'alert',
        text: `${machine_name}: ${rule_name ?? format.metric(metric_name)}`,
        detail: `${t(`severity.${severity}`)} · ${format.dateTime(created_at)}`,
        to: `/alerts/${id}`,
      })),
    },
    {
      title: t('nav.work'),
      choices: (found?.work_orders ?? []).map(({ id, title, title_facts, machine_name, status }) => ({
        icon: 'work',
        text: (title_facts && factsText(title_facts, machine_name)) ?? title,
        detail: `${machine_name} · ${t(`work.statuses.${status}`)}`,
        to: `/work-orders/${id}`,
      })),
    },
    {
      title: t('nav.agents'),
      choices: (found?.agents ?? []).map(({ agent_id, hostname, group_name }) => ({
        icon: 'agent',
        text: agent_id,
        detail: [hostname, group_name].filter(Boolean).join(' · ') || undefined,
        to: `/agents/${encodeURIComponent(agent_id)}`,
      })),
    },
    {
      title: t('settings.tabs.members'),
      choices: (found?.people ?? []).map(({ full_name, email }) => ({
        icon: 'person',
        text: full_name,
        detail: email,
        isPerson: true,
        to: '/settings',
        search: { tab: 'members', find: email },
      })),
    },
  ]
}
