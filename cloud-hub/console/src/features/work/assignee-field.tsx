import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useMe } from '../../app/me.tsx'
import { usePeople } from '../../app/people.ts'
import { SelectField } from '../../kit/field.tsx'

/** Who does the work: any active member of the company, and whoever has it now. */
export function AssigneeField({ label, name, value }: { label: ReactNode; name: string; value: string | null }) {
  const t = useTranslations('work')
  const { user } = useMe()
  const people = usePeople()
  const others = (people ?? []).filter(({ id, is_active }) => id !== user.id && (is_active || id === value))
  const isKnown = value === null || value === user.id || others.some(({ id }) => id === value)
  return (
    <SelectField
      // the members arrive after the first drawing, and a value that is not among the options is not kept
      key={String(people !== undefined)}
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
  const people = usePeople()
  if (id === null) return t('nobody')
  if (id === user.id) return t('me', { name: user.full_name })
  return people?.find((it) => it.id === id)?.full_name ?? t('otherMember')
}
