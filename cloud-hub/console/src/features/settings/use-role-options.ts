import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import type { Tier } from '../../app/me.tsx'

/** The roles of the company for a select, the built-in ones in the language of the user. */
export function useRoleOptions(): readonly (readonly [key: string, name: string])[] {
  const t = useTranslations('roles.tiers')
  const { data } = useQuery(apiQuery('/settings/roles'))
  return (data ?? []).map(({ key, name, is_builtin, base_tier }) => [key, is_builtin ? t(base_tier) : name] as const)
}

/** The tier of a role of the company; undefined until it is known. */
export function useTierOf(role: string | undefined): Tier | undefined {
  const { data } = useQuery(apiQuery('/settings/roles'))
  return data?.find(({ key }) => key === role)?.base_tier
}
