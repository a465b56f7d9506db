import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { SelectField } from '../../kit/field.tsx'

/** Only administrators may list the members of the company. */
function useMembers() {
  const { may } = useMe()
  const { data } = useQuery({ ...apiQuery('/users'), enabled: may('admin') })
  return data
}

/** Who does the work: others than administrators choose themselves, or keep who is chosen. */
export function AssigneeField({ label, name, value }: { label: ReactNode; name: string; value: string | null }) {
  const t = useTranslations('work')
  const { user } = useMe()
  const users = useMembers()
  const others = (users ?? []).filter(({ id, is_active }) => is_active && id !== user.id)
  const isKnown = value === null || value === user.id || others.some(({ id }) => id === value)
  return (
    <SelectField
      // the members arrive after the first drawing, and a value that is not among the options is not kept
      key={String(users !== undefined)}
      label={label}
      name={name}
      defaultValue={value ?? ''}
      options={[
        ['', t('nobody')],
        [user.id, t('me', { name: user.full_name })],
        ...(isKnown ? [] : [[value ?? '', t('otherMember')] as const]),
        ...others.map(({ id, full_name }) => [id, full_name] as const),
      ]}
    />
  )
}

export function AssigneeName({ id }: { id: string | null }) {
  const t = useTranslations('work')
  const { user } = useMe()
  const users = useMembers()
  if (id === null) return t('nobody')
  if (id === user.id) return t('me', { name: user.full_name })
  return users?.find((it) => it.id === id)?.full_name ?? t('otherMember')
}
