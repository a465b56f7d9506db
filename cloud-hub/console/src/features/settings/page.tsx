import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { useMe } from '../../app/me.tsx'
import { PageHead, SkeletonRows } from '../../kit/layout.tsx'
import { TabLinks } from '../../kit/tabs.tsx'
import { ApiKeysPanel } from './api-keys-panel.tsx'
import { MembersPanel } from './members-panel.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { ProfilePanel } from './profile-panel.tsx'
import { PushPanel } from './push-panel.tsx'
import { ReportsPanel } from './reports-panel.tsx'
import { RolesPanel } from './roles-panel.tsx'
import { TwoFactorPanel } from './two-factor-panel.tsx'
import { UnitsPanel } from './units-panel.tsx'

const AuditPane = lazy(() => import('./audit-pane.tsx').then((it) => ({ default: it.AuditPane })))
const ChecklistsPanel = lazy(() => import('../checklists/panel.tsx').then((it) => ({ default: it.ChecklistsPanel })))
const ReasonCodesPanel = lazy(() => import('../reason-codes/panel.tsx').then((it) => ({ default: it.ReasonCodesPanel })))
const PredictionsPanel = lazy(() => import('./predictions-panel.tsx').then((it) => ({ default: it.PredictionsPanel })))
const MailsPanel = lazy(() => import('./mails-panel.tsx').then((it) => ({ default: it.MailsPanel })))
const SsoPanel = lazy(() => import('./sso-panel.tsx').then((it) => ({ default: it.SsoPanel })))

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
          <div className="flex flex-col gap-4">
            <MembersPanel />
            <RolesPanel />
          </div>
        ) : tab === 'lists' ? (
          <div className="flex flex-col gap-4">
            <ChecklistsPanel />
            <ReasonCodesPanel />
          </div>
        ) : tab === 'keys' ? (
          <ApiKeysPanel />
        ) : tab === 'sso' ? (
          <SsoPanel />
        ) : (
          <div className="grid items-start gap-4 lg:grid-cols-2">
            {tab === 'company' ? (
              <>
                <UnitsPanel />
                {may('admin') ? (
                  <>
                    <MailsPanel />
                    <PredictionsPanel />
                  </>
                ) : null}
              </>
            ) : (
              <>
                <ProfilePanel />
                <PasswordPanel />
                <TwoFactorPanel />
                <PushPanel />
                <ReportsPanel />
              </>
            )}
          </div>
        )}
      </Suspense>
    </>
  )
}
