import { languageOf } from '@haltless/protocol/languages'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react'
import { apiQuery, type Schemas } from '../api/client.ts'
import { browserZone } from '../i18n/browser-zone.ts'
import { FormatProvider } from '../i18n/format.tsx'
import { formatLocaleOf, loadLanguage } from '../i18n/language.ts'
import { toast } from '../kit/toast.tsx'
import { loadStart } from './start.ts'

export type Tier = 'viewer' | 'operator' | 'admin'
const RANKS: Record<Tier, number> = { viewer: 0, operator: 1, admin: 2 }

interface Me {
  user: Schemas['CurrentUser']
  tier: Tier
  /** of a role of the company's own; undefined: the role is named as its tier */
  roleName: string | undefined
  /** whether the hub accepts operations of this tier from the user; pages hide what it would refuse */
  may(tier: Tier): boolean
}

const MeContext = createContext<Me | null>(null)

/** A hub that has not said who is signed in is asked again. */
const RETRY_MS = 10_000

/**
 * Loads who is signed in, with language, time zone and units.
 * @param props `site` is that of the first page; `instead` is shown while the user is unknown, within the formats of this browser
 */
export function MeProvider({
  site,
  instead,
  children,
}: {
  site: string | undefined
  instead(query: MeQuery): ReactNode
  children: ReactNode
}) {
  const query = useQuery({
    ...apiQuery('/auth/me'),
    queryFn: ({ client, signal }) => loadStart(client, site, signal),
    staleTime: 5 * 60_000,
    refetchInterval: ({ state }) => (state.data === undefined && state.error ? RETRY_MS : false),
  })
  if (query.data) return <Known user={query.data}>{children}</Known>
  return <FormatOfBrowser>{instead(query)}</FormatOfBrowser>
}

/** Dates and numbers as this browser writes them, while nobody is known who has chosen something else. */
export const FormatOfBrowser = ({ children }: { children: ReactNode }) => (
  <FormatProvider locale={formatLocaleOf(navigator.languages)} timeZone={browserZone() ?? 'UTC'} units={NO_UNITS}>
    {children}
  </FormatProvider>
)

type MeQuery = Pick<UseQueryResult<Schemas['CurrentUser']>, 'data' | 'error' | 'isFetching' | 'refetch'>

function Known({ user, children }: { user: Schemas['CurrentUser']; children: ReactNode }) {
  // until the second factor is set up, the hub answers neither of these
  const isOpen = !user.mfa_setup_required
  const { data: settings } = useQuery({ ...apiQuery('/settings/units'), enabled: isOpen, staleTime: 5 * 60_000 })
  const isBuiltin = user.role in RANKS
  const { data: roles } = useQuery({ ...apiQuery('/settings/roles'), enabled: isOpen && !isBuiltin, staleTime: 5 * 60_000 })
  // until a role of the company's own is known, the least
  const role = roles?.find(({ key }) => key === user.role)
  const tier = isBuiltin ? (user.role as Tier) : (role?.base_tier ?? 'viewer')
  const roleName = isBuiltin ? undefined : role?.name
  const locale = formatLocaleOf(user.locale ? [user.locale] : navigator.languages)
  const zone = useZone(user.timezone === null && isOpen)
  const timeZone = user.timezone ?? zone
  const units = settings?.unit_preferences ?? NO_UNITS

  useEffect(() => {
    loadLanguage(languageOf(...(user.locale ? [user.locale] : navigator.languages)))
  }, [user.locale])
  const me = useMemo(
    () => ({ user, tier, roleName, may: (wanted: Tier) => RANKS[tier] >= RANKS[wanted] }),
    [user, tier, roleName],
  )
  return (
    <MeContext value={me}>
      <FormatProvider locale={locale} timeZone={timeZone} units={units}>
        {children}
      </FormatProvider>
    </MeContext>
  )
}

/** Whether it was said that this browser names no time zone. */
let isSaid = false

/** The zone of this browser, else that of the plant, else UTC; the last two are said once. */
function useZone(isNeeded: boolean): string {
  const own = browserZone()
  const isAsked = isNeeded && own === null
  const { data: plant } = useQuery({ ...apiQuery('/settings/plant'), enabled: isAsked, staleTime: 5 * 60_000 })
  const zone = own ?? plant?.time_zone ?? 'UTC'
  useEffect(() => {
    if (!isAsked || !plant || isSaid) return
    isSaid = true
    toast('info', (t) => t('zoneUnknown', { zone }))
  }, [isAsked, plant, zone])
  return zone
}

const NO_UNITS: Record<string, string> = {}

/** Null while the hub has not said who is signed in: the frame of the pages is there nevertheless. */
export const useMeIfKnown = (): Me | null => useContext(MeContext)

export function useMe(): Me {
  const me = useContext(MeContext)
  if (!me) throw new Error('useMe needs a MeProvider')
  return me
}
