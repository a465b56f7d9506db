import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { MACHINE_PATCH_LOCATION_MAX_LENGTH } from '../../api/limits.ts'
import { TextField } from '../../kit/field.tsx'

/** What a person may say about a machine, with the length that each allows. */
const DETAILS = { location: MACHINE_PATCH_LOCATION_MAX_LENGTH } as const
const NAMES = Object.keys(DETAILS) as (keyof typeof DETAILS)[]

export function DetailFields({ machine, faults }: { machine?: Schemas['Machine']; faults: Record<string, string> }) {
  const t = useTranslations()
  return NAMES.map((name) => (
    <TextField
      key={name}
      label={`${t(`machines.${name}`)} (${t('common.optional')})`}
      name={name}
      maxLength={DETAILS[name]}
      defaultValue={machine?.[name] ?? ''}
      fault={faults[name]}
    />
  ))
}

/** The details of a form with {@link DetailFields}; null where nothing was typed. */
export const detailsIn = (text: (name: string) => string): Record<keyof typeof DETAILS, string | null> =>
  Object.fromEntries(NAMES.map((name) => [name, text(name) || null])) as Record<keyof typeof DETAILS, string | null>
