import { Link, Navigate, Outlet, useMatches, useSearch } from '@tanstack/react-router'
import { type ComponentProps, lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl'
import { onSessionChange, sessionState, startSession } from '../api/session.ts'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { PageHead, SkeletonRows } from '../kit/layout.tsx'
import { Loaded } from '../kit/loaded.tsx'
import { Notice } from '../kit/notice.tsx'
import { type Badges, useBadges } from './badges.ts'
import { ConnectionBanner } from './connection-banner.tsx'
import { ENTRIES, type Entry } from './entries.ts'
import { EntryBadge, useBadgeText } from './entry-badge.tsx'
import { LiveUpdates } from './live.tsx'
import { FormatOfBrowser, MeProvider, useMe } from './me.tsx'
import { usePageFocus } from './page-focus.ts'
import { PhoneBar } from './phone-bar.tsx'
import { afterChanges } from './query-client.ts'
import { rememberedSite, SiteContext, useSite } from './site.ts'
import { SiteSwitch } from './site-switch.tsx'
import { UserMenu } from './user-menu.tsx'

// the table of what is stale after which change comes with the first change
afterChanges((client) =>
  import('../api/stale-queries.ts').then(
    ({ refreshStale }) => refreshStale(client),
    () => client.invalidateQueries(),
  ),
)

// no page waits for it
const AfterStart = lazy(() => import('./after-start.tsx'))
const FindButton = lazy(() => import('./after-start.tsx').then((it) => ({ default: it.FindButton })))
const MfaSetupPage = lazy(() => import('../features/settings/mfa-setup-page.tsx').then((it) => ({ default: it.MfaSetupPage })))

/** The frame of all pages behind the sign-in. It stays, whatever the hub answers, but for a session that has ended. */
export function Shell() {
  const session = useSyncExternalStore(onSessionChange, sessionState)
  const site = useSiteOfAddress()
  // the router goes to the sign-in
  if (session.status === 'signed_out') return null
  const { userId } = session.status === 'signed_in' ? session : { userId: 'unknown' }
  return (
    // another user starts with new pages: the queries of mounted ones would keep what they have
    <Suspense key={userId} fallback={<Loading />}>
      {session.status === 'signed_in' ? (
        <MeProvider site={site ?? rememberedSite(userId)} instead={(query) => <FrameOf query={query} />}>
          <Inside userId={userId} sessionId={session.sessionId} />
        </MeProvider>
      ) : (
        <OfflineFrame />
      )}
    </Suspense>
  )
}

const useSiteOfAddress = () => useSearch({ strict: false, select: (search) => (search as { site?: string }).site })

function Inside(session: { userId: string; sessionId: string }) {
  const { user } = useMe()
  const site = useSiteOfAddress()
  // once: a later address without a site, such as that of Back, is the whole company
  const [remembered, setRemembered] = useState(() => (site ? undefined : rememberedSite(session.userId)))
  useEffect(() => {
    if (site) setRemembered(undefined)
  }, [site])
  // the hub answers nothing else until then
  if (user.mfa_setup_required) return <MfaSetupPage />
  if (remembered && !site) return <Navigate to="." search={(known) => ({ ...known, site: remembered })} hash replace />
  return (
    <SiteContext value={site}>
      <LiveUpdates {...session} />
      <Pages />
    </SiteContext>
  )
}

function Loading() {
  const t = useTranslations('common')
  return <SkeletonRows rows={8} label={t('loading')} />
}

/** Who is signed in is loading, or the hub does not answer that: the person sees what, and can go elsewhere or out. */
function FrameOf({ query }: { query: ComponentProps<typeof Loaded>['query'] }) {
  const t = useTranslations('common')
  return (
    <Frame entries={OPEN_ENTRIES}>
      <Loaded query={query} label={t('loading')} rows={8}>
        {() => null}
      </Loaded>
    </Frame>
  )
}

const RETRY_MS = 5_000

/** Signed in before, but the hub does not answer: the page tries again until it does. */
function OfflineFrame() {
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
    <FormatOfBrowser>
      <Frame entries={OPEN_ENTRIES}>
        <PageHead title={t('common.brand')} />
        <Notice tone="warning">{t('signIn.offline')}</Notice>
        <Button className="mt-4" onPress={() => startSession()}>
          {t('common.retry')}
        </Button>
      </Frame>
    </FormatOfBrowser>
  )
}

const ALL_ENTRIES: readonly Entry[] = ENTRIES
const OPEN_ENTRIES = ALL_ENTRIES.filter(({ tier }) => !tier)

/** The page at the address, where the person may see it. */
function Pages() {
  const { may } = useMe()
  const badges = useBadges(useSite())
  const entries = ALL_ENTRIES.filter(({ tier }) => !tier || may(tier))
  const [isFinding, setFinding] = useState(false)
  // that of the page which `Outlet` renders: the location changes earlier, while the page before is still mounted
  const pathname = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '/' })
  // an address that a colleague with more rights has sent
  const closed = ALL_ENTRIES.find(({ to, tier }) => tier && !may(tier) && `${pathname}/`.startsWith(`${to}/`))
  return (
    <Frame entries={entries} badges={badges} onFind={() => setFinding(true)} hasSites>
      <Suspense>
        <AfterStart entries={entries} isFinding={isFinding} onFind={setFinding} />
      </Suspense>
      {closed ? <ClosedPage text={closed.text} /> : <Outlet />}
    </Frame>
  )
}

/** @param hasSites the person is known, so that the sites can be asked for */
function Frame({
  entries,
  badges = {},
  hasSites = false,
  onFind,
  children,
}: {
  entries: readonly Entry[]
  badges?: Badges
  /** opens the finder */
  onFind?: () => void
  hasSites?: boolean
  children: ReactNode
}) {
  const t = useTranslations()
  const site = useSite()
  const badgeText = useBadgeText()
  usePageFocus()
  return (
    <div className="min-h-dvh lg:pl-56 print:pl-0">
      <a href="#content" className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:bg-paper focus:p-3">
        {t('common.skipToContent')}
      </a>
      <nav
        aria-label={t('nav.label')}
        className="no-print fixed inset-y-0 left-0 hidden w-56 flex-col border-r border-line bg-paper p-3 lg:flex"
      >
        <Link to="/" className="mb-4 flex items-center gap-2.5 px-2 pt-1 text-lg font-medium text-brand no-underline">
          <img src="/icon.svg" alt="" className="size-7 rounded-md" />
          {t('common.brand')}
        </Link>
        <div className="mb-3 min-h-9">
          <Suspense>{onFind ? <FindButton onPress={onFind} /> : null}</Suspense>
        </div>
        <ul className="flex flex-col gap-0.5">
          {entries.map(({ to, icon, text }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                aria-description={badgeText(to, badges[to])}
                className="flex items-center gap-3 rounded-lg px-3 py-2 font-medium text-ink no-underline hover:bg-raised"
                activeProps={{ className: 'bg-raised text-brand font-medium' }}
              >
                <Icon name={icon} />
                {t(`nav.${text}`)}
                <EntryBadge count={badges[to]} className="ml-auto" />
              </Link>
            </li>
          ))}
        </ul>
        <div className="mt-auto flex flex-col gap-3">
          {hasSites ? <SiteSwitch className="border-t border-line px-2 pt-3" /> : null}
          <UserMenu />
        </div>
      </nav>
      <ConnectionBanner />
      <main id="content" tabIndex={-1} className="mx-auto max-w-450 p-4 pb-24 outline-none lg:p-6 print:p-0">
        {/* the menu of a phone has it; a chosen site is seen on each page */}
        {hasSites && site ? <SiteSwitch className="no-print mb-3 lg:hidden" /> : null}
        <Suspense fallback={<Loading />}>{children}</Suspense>
      </main>
      <PhoneBar entries={entries} badges={badges} onFind={onFind} />
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
