import { useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, Outlet, useMatches, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl'
import { onSessionChange, sessionState, startSession } from '../api/session.ts'
import { refreshStale } from '../api/stale-queries.ts'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { PageHead, SkeletonRows } from '../kit/layout.tsx'
import { Notice } from '../kit/notice.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { ENTRIES, type Entry } from './entries.ts'
import { LiveUpdates } from './live.tsx'
import { MeProvider, useMe } from './me.tsx'
import { PhoneBar } from './phone-bar.tsx'
import { followUser } from './push.ts'
import { afterChanges } from './query-client.ts'
import { rememberedSite, SiteContext, useSite } from './site.ts'
import { SiteSwitch, useKnownSite } from './site-switch.tsx'
import { UserMenu } from './user-menu.tsx'

afterChanges(refreshStale)

const MfaSetupPage = lazy(() => import('../features/settings/mfa-setup-page.tsx').then((it) => ({ default: it.MfaSetupPage })))

/** The frame of all pages behind the sign-in. */
export function Shell() {
  const session = useSyncExternalStore(onSessionChange, sessionState)
  if (session.status === 'offline') return <OfflinePage />
  // the router goes to the sign-in
  if (session.status !== 'signed_in') return null
  return (
    // another user starts with new pages: the queries of mounted ones would keep what they have
    <Suspense key={session.userId} fallback={<Loading />}>
      <MeProvider>
        <Inside userId={session.userId} sessionId={session.sessionId} />
      </MeProvider>
    </Suspense>
  )
}

function Inside(session: { userId: string; sessionId: string }) {
  const { user } = useMe()
  const site = useSearch({ strict: false, select: (search) => (search as { site?: string }).site })
  const remembered = site ? undefined : rememberedSite(session.userId)
  // the hub answers nothing else until then
  if (user.mfa_setup_required) return <MfaSetupPage />
  if (remembered) return <Navigate to="." search={(known) => ({ ...known, site: remembered })} hash replace />
  return (
    <SiteContext value={site}>
      <LiveUpdates {...session} />
      <FollowUser userId={session.userId} />
      <Frame />
    </SiteContext>
  )
}

/** Push messages to this browser are those of the user who is signed in. */
function FollowUser({ userId }: { userId: string }) {
  const queries = useQueryClient()
  useEffect(() => {
    if (!('locks' in navigator)) return
    followUser(userId)
      .catch(() => {})
      .then(() => queries.invalidateQueries({ queryKey: ['push-subscription'] }))
  }, [userId, queries])
  return null
}

function Loading() {
  const t = useTranslations('common')
  return <SkeletonRows rows={8} label={t('loading')} />
}

const RETRY_MS = 5_000

/** Signed in before, but the hub does not answer: the page tries again until it does. */
function OfflinePage() {
  const t = useTranslations()
  useEffect(() => {
    const retry = () => startSession()
    const timer = setInterval(retry, RETRY_MS)
    addEventListener('online', retry)
    return () => {
      clearInterval(timer)
      removeEventListener('online', retry)
    }
  }, [])
  return (
    <main className="mx-auto flex max-w-md flex-col gap-4 p-6 pt-24">
      <h1>{t('common.brand')}</h1>
      <Notice tone="warning">{t('signIn.offline')}</Notice>
      <Button onPress={() => startSession()}>{t('common.retry')}</Button>
    </main>
  )
}

function Frame() {
  const t = useTranslations()
  const { may } = useMe()
  const site = useSite()
  useKnownSite()
  // that of the page which `Outlet` renders: the location changes earlier, while the page before is still mounted
  const pathname = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '/' })
  const entries = (ENTRIES as readonly Entry[]).filter(({ tier }) => !tier || may(tier))
  // an address that a colleague with more rights has sent
  const closed = (ENTRIES as readonly Entry[]).find(({ to, tier }) => tier && !may(tier) && `${pathname}/`.startsWith(`${to}/`))
  return (
    <div className="min-h-dvh lg:pl-56 print:pl-0">
      <a href="#content" className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:bg-paper focus:p-3">
        {t('common.skipToContent')}
      </a>
      <nav
        aria-label={t('nav.label')}
        className="no-print fixed inset-y-0 left-0 hidden w-56 flex-col border-r border-line bg-paper p-3 lg:flex"
      >
        <Link to="/" className="mb-4 flex items-center gap-2.5 px-2 pt-1 text-lg font-bold text-brand no-underline">
          <img src="/icon.svg" alt="" className="size-7 rounded-md" />
          {t('common.brand')}
        </Link>
        <ul className="flex flex-col gap-0.5">
          {entries.map(({ to, icon, text }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                className="flex items-center gap-3 rounded-lg px-3 py-2 font-medium text-ink no-underline hover:bg-raised"
                activeProps={{ className: 'bg-raised text-brand font-semibold' }}
              >
                <Icon name={icon} />
                {t(`nav.${text}`)}
              </Link>
            </li>
          ))}
        </ul>
        <div className="mt-auto flex flex-col gap-3">
          <SiteSwitch className="border-t border-line px-2 pt-3" />
          <UserMenu />
        </div>
      </nav>
      <ConnectionBanner />
      <main id="content" tabIndex={-1} className="mx-auto max-w-450 p-4 pb-24 outline-none lg:p-6 print:p-0">
        {/* the menu of a phone has it; a chosen site is seen on each page */}
        {site ? <SiteSwitch className="no-print mb-3 lg:hidden" /> : null}
        <Suspense fallback={<Loading />}>{closed ? <ClosedPage text={closed.text} /> : <Outlet />}</Suspense>
      </main>
      <PhoneBar entries={entries} />
    </div>
  )
}

/** In place of pages that the hub would not answer to this user. */
function ClosedPage({ text }: Pick<Entry, 'text'>) {
  const t = useTranslations()
  return (
    <>
      <PageHead title={t(`nav.${text}`)} />
      <Notice tone="info">{t('nav.closed')}</Notice>
    </>
  )
}
