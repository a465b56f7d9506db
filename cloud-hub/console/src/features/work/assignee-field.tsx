import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useMe } from '../../app/me.tsx'
import { usePeople } from '../../app/people.ts'
import { SelectField } from '../../kit/field.tsx'

/** The assignee: any active member of the company, and the present one. */
export function AssigneeField({ label, name, value }: { label: ReactNode; name: string; value: string | null }) {
  const t = useTranslations('work')
  const { user } = useMe()
  const people = usePeople()
  const others = (people ?? []).filter(
    ({ id, is_active, is_service_account }) => id !== user.id && ((is_active && !is_service_account) || id === value),
  )
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

export function AssigneeNames({ ids }: { ids: readonly string[] }) {
  return ids.map((id, index) => (
    <span key={id}>
      {index > 0 ? ', ' : ''}
      <AssigneeName id={id} />
    </span>
  ))
}

const IDS = 'assignee_ids'
const ARE_SHOWN = 'has_assignees'

/** @returns what `MoreAssignees` holds; nothing while the team loads, so that nobody is removed */
export const assigneesOf = (values: FormData): { assignee_ids?: string[] } =>
  values.has(ARE_SHOWN) ? { assignee_ids: values.getAll(IDS).map(String) } : {}

/** Who works along with the assignee. */
export function MoreAssignees({ label, values }: { label: ReactNode; values: readonly string[] }) {
  const people = usePeople()
  const shown = (people ?? []).filter(
    ({ id, is_active, is_service_account }) => (is_active && !is_service_account) || values.includes(id),
  )
  return (
    <details className="rounded-lg border border-line px-3 py-2" open={values.length > 0}>
      <summary className="cursor-pointer text-sm font-medium">{label}</summary>
      {people ? <input type="hidden" name={ARE_SHOWN} value="1" /> : null}
      <ul className="mt-2 grid max-h-44 gap-x-4 gap-y-1 overflow-y-auto sm:grid-cols-2">
        {shown.map(({ id, full_name }) => (
          <li key={id}>
            <label className="flex items-center gap-2 py-0.5">
              <input
                type="checkbox"
                name={IDS}
                value={id}
                defaultChecked={values.includes(id)}
                className="size-4.5 accent-(--brand)"
              />
              {full_name}
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}
