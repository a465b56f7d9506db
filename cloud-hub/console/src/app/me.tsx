import { languageOf } from '@haltless/protocol/languages'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react'
import { apiQuery, type Schemas } from '../api/client.ts'
import { FormatProvider } from '../i18n/format.tsx'
import { formatLocaleOf, loadLanguage } from '../i18n/language.ts'

export type Tier = 'viewer' | 'operator' | 'admin'
const RANKS: Record<Tier, number> = { viewer: 0, operator: 1, admin: 2 }

interface Me {
  user: Schemas['CurrentUser']
  tier: Tier
  /** whether the hub accepts operations of this tier from the user; pages hide what it would refuse */
  may(tier: Tier): boolean
}

const MeContext = createContext<Me | null>(null)

/** Loads who is signed in, with language, time zone and units. */
export function MeProvider({ children }: { children: ReactNode }) {
  const { data: user } = useSuspenseQuery({ ...apiQuery('/auth/me'), staleTime: 5 * 60_000 })
  // until the second factor is set up, the hub answers neither of these
  const isOpen = !user.mfa_setup_required
  const { data: settings } = useQuery({ ...apiQuery('/settings/units'), enabled: isOpen, staleTime: 5 * 60_000 })
  const isBuiltin = user.role in RANKS
  const { data: roles } = useQuery({ ...apiQuery('/settings/roles'), enabled: isOpen && !isBuiltin, staleTime: 5 * 60_000 })
  // until a role of the company's own is known, the least
  const tier = isBuiltin ? (user.role as Tier) : (roles?.find(({ key }) => key === user.role)?.base_tier ?? 'viewer')
  const locale = formatLocaleOf(user.locale ? [user.locale] : navigator.languages)
  const timeZone = user.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const units = settings?.unit_preferences ?? NO_UNITS

  useEffect(() => {
    loadLanguage(languageOf(...(user.locale ? [user.locale] : navigator.languages)))
  }, [user.locale])
  const me = useMemo(() => ({ user, tier, may: (wanted: Tier) => RANKS[tier] >= RANKS[wanted] }), [user, tier])
  return (
    <MeContext value={me}>
      <FormatProvider locale={locale} timeZone={timeZone} units={units}>
        {children}
      </FormatProvider>
    </MeContext>
  )
}

const NO_UNITS: Record<string, string> = {}

export function useMe(): Me {
  const me = useContext(MeContext)
  if (!me) throw new Error('useMe needs a MeProvider')
  return me
}
