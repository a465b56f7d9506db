import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { useMe } from '../../app/me.tsx'
import { PageHead, Panels, SkeletonRows } from '../../kit/layout.tsx'
import { TabLinks } from '../../kit/tabs.tsx'
import { MembersPanel } from './members-panel.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { ProfilePanel } from './profile-panel.tsx'
import { PushPanel } from './push-panel.tsx'
import { ReportsPanel } from './reports-panel.tsx'
import { RolesPanel } from './roles-panel.tsx'
import { TwoFactorPanel } from './two-factor-panel.tsx'
import { UnitsPanel } from './units-panel.tsx'

const ApiKeysPanel = lazy(() => import('./api-keys-panel.tsx').then((it) => ({ default: it.ApiKeysPanel })))
const AuditPane = lazy(() => import('./audit-pane.tsx').then((it) => ({ default: it.AuditPane })))
const ChecklistsPanel = lazy(() => import('../checklists/panel.tsx').then((it) => ({ default: it.ChecklistsPanel })))
const ReasonCodesPanel = lazy(() => import('../reason-codes/panel.tsx').then((it) => ({ default: it.ReasonCodesPanel })))
const PredictionsPanel = lazy(() => import('./predictions-panel.tsx').then((it) => ({ default: it.PredictionsPanel })))
const LimitsPanel = lazy(() => import('./limits-panel.tsx').then((it) => ({ default: it.LimitsPanel })))
const MailsPanel = lazy(() => import('./mails-panel.tsx').then((it) => ({ default: it.MailsPanel })))
const ServiceAccountsPanel = lazy(() =>
  import('./service-accounts-panel.tsx').then((it) => ({ default: it.ServiceAccountsPanel })),
)
const KeysPanel = lazy(() => import('./keys-panel.tsx').then((it) => ({ default: it.KeysPanel })))
const TokensPanel = lazy(() => import('./tokens-panel.tsx').then((it) => ({ default: it.TokensPanel })))
const SecurityPanel = lazy(() => import('./security-panel.tsx').then((it) => ({ default: it.SecurityPanel })))
const SsoPanel = lazy(() => import('./sso-panel.tsx').then((it) => ({ default: it.SsoPanel })))

const TWO_COLUMNS = 'grid items-start gap-4 lg:grid-cols-2'
const FOR_ALL = ['personal', 'company'] as const
const FOR_ADMINS = ['lists', 'members', 'sso', 'keys', 'audit'] as const
const route = getRouteApi('/app/settings')

/** What a person sets for themselves, and an administrator for the company. */
export function SettingsPage() {
  const t = useTranslations('settings')
  const common = useTranslations('common')
  const { may } = useMe()
  const tabs = may('admin') ? [...FOR_ALL, ...FOR_ADMINS] : FOR_ALL
  const { tab: wanted } = route.useSearch()
  const tab = tabs.find((it) => it === wanted) ?? 'personal'
  return (
    <>
      <PageHead title={t('title')} />
      <TabLinks label={t('title')} chosen={tab} tabs={tabs.map((it) => [it, t(`tabs.${it}`)] as const)} />
      <Suspense fallback={<SkeletonRows label={common('loading')} />}>
        {tab === 'audit' ? (
          <AuditPane />
        ) : tab === 'members' ? (
          <Panels>
            <MembersPanel />
            <RolesPanel />
          </Panels>
        ) : tab === 'lists' ? (
          <Panels>
            <ChecklistsPanel />
            <ReasonCodesPanel />
          </Panels>
        ) : tab === 'keys' ? (
          <Panels>
            <ServiceAccountsPanel />
            <TokensPanel ofAll />
            <ApiKeysPanel />
          </Panels>
        ) : tab === 'sso' ? (
          <SsoPanel />
        ) : tab === 'company' ? (
          <Panels className={TWO_COLUMNS}>
            <UnitsPanel />
            {may('admin') ? <SecurityPanel /> : null}
            {may('admin') ? <MailsPanel /> : null}
            {may('admin') ? <PredictionsPanel /> : null}
            {may('admin') ? <LimitsPanel /> : null}
          </Panels>
        ) : (
          <Panels className={TWO_COLUMNS}>
            <ProfilePanel />
            <PasswordPanel />
            <TwoFactorPanel />
            <PushPanel />
            <KeysPanel />
            <ReportsPanel />
            <TokensPanel />
          </Panels>
        )}
      </Suspense>
    </>
  )
}
