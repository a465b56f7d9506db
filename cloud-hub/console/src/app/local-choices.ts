import { useTranslations } from 'use-intl'
import type { Entry } from './entries.ts'
import type { Choice, Section } from './found.ts'
import { useMe } from './me.tsx'
import { setTheme, type Theme } from './theme.ts'

const THEMES: readonly Theme[] = ['system', 'light', 'dark']

/** A text without case and accents, as people type it. */
const plain = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()

/** Pages and actions that a person may use, by words; without words all. */
export function useLocalChoices(entries: readonly Entry[]): (words: string) => Section[] {
  const t = useTranslations()
  const { may } = useMe()
  const within = (to: string, page: string, tabs: Record<string, string>): Choice[] => {
    const entry = entries.find((it) => it.to === to)
    return Object.entries(tabs).map(([tab, text]) => ({
      icon: entry?.icon ?? 'settings',
      text,
      detail: page,
      to,
      search: { tab },
    }))
  }
  const pages: Choice[] = [
    ...entries.map(({ to, icon, text }) => ({ to, icon, text: t(`nav.${text}`) })),
    { icon: 'machine', text: t('groups.title'), detail: t('nav.machines'), to: '/machines/groups' },
    ...within('/rules', t('nav.rules'), {
      composites: t('rules.tabs.composites'),
      escalation: t('rules.tabs.escalation'),
      channels: t('rules.tabs.channels'),
    }),
    ...within('/operations', t('nav.operations'), {
      shifts: t('operations.tabs.shifts'),
      sites: t('operations.tabs.sites'),
      predictions: t('operations.tabs.predictions'),
    }),
    ...within('/settings', t('nav.settings'), {
      company: t('settings.tabs.company'),
      ...(may('admin') && {
        lists: t('settings.tabs.lists'),
        members: t('settings.tabs.members'),
        sso: t('settings.tabs.sso'),
        keys: t('settings.tabs.keys'),
        audit: t('settings.tabs.audit'),
      }),
    }),
    ...(may('admin')
      ? [{ icon: 'agent' as const, text: t('updates.title'), detail: t('nav.agents'), to: '/agents/updates' }]
      : []),
  ]
  const actions: Choice[] = [
    ...(may('operator')
      ? [
          { icon: 'plus' as const, text: t('machines.add'), dialog: 'machine' as const },
          { icon: 'plus' as const, text: t('work.add'), dialog: 'order' as const },
        ]
      : []),
    ...(may('admin') ? [{ icon: 'plus' as const, text: t('enrol.title'), to: '/agents/enrol' }] : []),
    ...THEMES.map((theme) => ({
      icon: 'settings' as const,
      text: `${t('userMenu.theme')}: ${t(`userMenu.themes.${theme}`)}`,
      run: () => setTheme(theme),
    })),
    { icon: 'menu' as const, text: t('finder.keys'), dialog: 'keys' as const },
  ]
  return (words) => {
    const wanted = plain(words).split(/\s+/)
    const matching = (choices: Choice[]) =>
      choices.filter(({ text, detail }) => wanted.every((word) => plain(`${text} ${detail ?? ''}`).includes(word)))
    return [
      { title: t('finder.pages'), choices: matching(pages) },
      { title: t('finder.actions'), choices: matching(actions) },
    ]
  }
}
