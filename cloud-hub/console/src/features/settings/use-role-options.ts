import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'

/** The roles of the company for a select, the built-in ones in the language of the user. */
export function useRoleOptions(): readonly (readonly [key: string, name: string])[] {
  const t = useTranslations('roles.tiers')
  const { data } = useQuery(apiQuery('/settings/roles'))
  return (data ?? []).map(({ key, name, is_builtin, base_tier }) => [key, is_builtin ? t(base_tier) : name] as const)
}
